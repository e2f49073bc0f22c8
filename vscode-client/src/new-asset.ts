/** *AKM: New Asset…*: a type, a place by the conventions, a name; then the file from its template. */

import * as vscode from "vscode";
import { iconOf } from "./hits.js";
import { messageOf, type Ask, type Begun, type NewPlace } from "./protocol.js";

interface Wanted {
  readonly bundle?: string;
  readonly type?: string;
}

/** @param wanted - what is clear already, e.g. from the node of a view. */
export async function newAsset(ask: Ask, wanted: Wanted = {}): Promise<void> {
  try {
    await begin(ask, wanted);
  } catch (error) {
    void vscode.window.showErrorMessage(`AKM: no new asset. ${messageOf(error)}`);
  }
}

async function begin(ask: Ask, wanted: Wanted): Promise<void> {
  const { bundles } = await ask<Begun>("akm/newAsset", {});
  if (bundles.length === 0) {
    void vscode.window.showWarningMessage(
      "AKM: there is no bundle that can be written to. Open a folder that holds skills or a bundle.",
    );
    return;
  }
  const bundle = wanted.bundle ?? (await chooseBundle(bundles));
  const types = bundles.find(({ id }) => id === bundle)?.types;
  if (bundle === undefined) {
    return;
  }
  if (types === undefined) {
    void vscode.window.showWarningMessage(`AKM: the bundle ${bundle} is read-only.`);
    return;
  }
  const type =
    wanted.type !== undefined && types.includes(wanted.type) ? wanted.type : await chooseType(types);
  if (type === undefined) {
    return;
  }
  const { places } = await ask<Begun>("akm/newAsset", { bundle, type });
  const place = await choosePlace(type, places ?? []);
  if (place === undefined) {
    return;
  }
  const name = await askName(ask, { bundle, type }, place.directory);
  if (name === undefined) {
    return;
  }
  const { file } = await ask<Begun>("akm/newAsset", { bundle, type, name: below(place.directory, name) });
  if (file !== undefined) {
    await create(vscode.Uri.parse(file.uri, true), file.text, file.snippet);
  }
}

async function chooseBundle(bundles: Begun["bundles"]): Promise<string | undefined> {
  if (bundles.length === 1) {
    return bundles[0]?.id;
  }
  const active = vscode.window.activeTextEditor?.document.uri.fsPath ?? "";
  const items = bundles
    .map(({ id, root }) => ({ label: `$(library) ${id}`, description: root, id, here: active.startsWith(root) }))
    .sort((one, other) => Number(other.here) - Number(one.here));
  const chosen = await vscode.window.showQuickPick(items, {
    title: "AKM: New Asset",
    placeHolder: "In which bundle?",
    matchOnDescription: true,
  });
  return chosen?.id;
}

async function chooseType(types: readonly string[]): Promise<string | undefined> {
  if (types.length === 1) {
    return types[0];
  }
  const items = types.map((type) => ({
    label: `$(${iconOf(type)}) ${type}`,
    description: MEANINGS[type] ?? "",
    type,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: "AKM: New Asset",
    placeHolder: "What is it?",
    matchOnDescription: true,
  });
  return chosen?.type;
}

/** What a type is for, in the words of somebody who has to choose one. */
const MEANINGS: Readonly<Record<string, string>> = {
  skill: "something an agent can learn to do, step by step",
  command: "a prompt that people call by name",
  agent: "a role with tools of its own",
  knowledge: "how something works; lasts",
  instruction: "rules that always hold",
  memory: "what happened or was decided, and when",
  lesson: "what to do differently next time",
  fact: "one sentence that must be known",
  workflow: "steps that run one after another",
  script: "a program",
  task: "something that runs by a schedule",
};

async function choosePlace(type: string, places: readonly NewPlace[]): Promise<NewPlace | undefined> {
  if (places.length <= 1) {
    return places[0] ?? { directory: "", why: "" };
  }
  const items = places.map((place) => ({
    label: place.directory === "" ? `$(root-folder) ${place.why}` : `$(folder) ${place.directory}`,
    description: place.directory === "" ? "" : place.why,
    place,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: `AKM: New Asset (${type})`,
    placeHolder: "Where does it belong?",
  });
  return chosen?.place;
}

function askName(ask: Ask, asset: object, directory: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: "AKM: New Asset",
    prompt: directory === "" ? "A name, in a few words" : `A name below ${directory}/, in a few words`,
    placeHolder: "rotate tokens",
    validateInput: async (name) => {
      if (name.trim() === "") {
        return undefined;
      }
      try {
        const { file } = await ask<Begun>("akm/newAsset", { ...asset, name: below(directory, name) });
        return file === undefined
          ? undefined
          : { message: `Creates ${file.path}`, severity: vscode.InputBoxValidationSeverity.Info };
      } catch (error) {
        return messageOf(error);
      }
    },
  });
}

function below(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

/** Writes the file, opens it, and stands at the first place to fill in. */
async function create(uri: vscode.Uri, text: string, snippet: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents: new TextEncoder().encode(text), overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error(`${uri.fsPath} could not be created.`);
  }
  const editor = await vscode.window.showTextDocument(uri, { preview: false });
  const whole = editor.document.validateRange(new vscode.Range(0, 0, editor.document.lineCount, 0));
  await editor.insertSnippet(new vscode.SnippetString(snippet), whole);
  await editor.document.save();
}
