/** The commands about one asset: show it, copy its ref, pack what is known about a question. */

import * as vscode from "vscode";
import { assetPage, refAt } from "./asset-page.js";
import { messageOf, suggestionsOf, type Ask, type Shown } from "./protocol.js";
import { chooseAsset } from "./search-pick.js";

const SCHEME = "akm-asset";

/** Pages of shown assets; they are made again each time, so nothing stale is kept. */
export class AssetPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly change = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.change.event;

  constructor(private readonly ask: Ask) {}

  /** The ref is the query, so that the tab has a readable name. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    try {
      return assetPage(await this.ask<Shown>("akm/show", { ref: uri.query }));
    } catch (error) {
      const near = suggestionsOf(error).map((ref) => `- \`${ref}\``);
      return [messageOf(error), ...(near.length > 0 ? ["", "Did you mean", "", ...near] : [])].join("\n");
    }
  }

  /** *AKM: Show Asset*: of a ref, else of the ref at the cursor, else of what the user chooses. */
  async show(ref: string | undefined): Promise<void> {
    const wanted = ref ?? (await this.refAtCursor()) ?? (await chooseAsset(this.ask, "Show which asset?"))?.ref;
    if (wanted === undefined) {
      return;
    }
    const name = wanted.replace(/^.*\/\//, "").replaceAll("/", " › ");
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md`, query: wanted });
    this.change.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreview", uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.change.dispose();
  }

  private async refAtCursor(): Promise<string | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== "file") {
      return undefined;
    }
    const { line, character } = editor.selection.active;
    try {
      const shown = await this.ask<Shown>("akm/show", {
        textDocument: { uri: editor.document.uri.toString() },
        position: { line, character },
      });
      const own = await this.ask<Shown>("akm/show", {
        textDocument: { uri: editor.document.uri.toString() },
      }).catch(() => undefined);
      // Off a ref the server answers with the file itself, which the user has before them.
      return shown.ref === own?.ref && shown.fragment === undefined
        ? undefined
        : [shown.ref, shown.fragment].filter(Boolean).join("#");
    } catch {
      return undefined;
    }
  }
}

/** *AKM: Copy Ref*: of the heading at the cursor or the active file, or of `ref` from a view. */
export async function copyRef(ask: Ask, ref: string | undefined): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  let found = ref;
  if (found === undefined) {
    if (editor === undefined) {
      void vscode.window.showInformationMessage("AKM: open an asset's file to copy its ref.");
      return;
    }
    try {
      const shown = await ask<Shown>("akm/show", {
        textDocument: { uri: editor.document.uri.toString() },
      });
      found = refAt(shown, editor.selection.active.line);
    } catch (error) {
      void vscode.window.showWarningMessage(`AKM: there is no ref to copy. ${messageOf(error)}`);
      return;
    }
  }
  await vscode.env.clipboard.writeText(found);
  vscode.window.setStatusBarMessage(`AKM: copied ${found}`, 4000);
}

/** *AKM: Build Context Pack*: what the bundles know about a question, as JSON beside. */
export async function buildContextPack(ask: Ask): Promise<void> {
  const query = await vscode.window.showInputBox({
    title: "AKM: Build Context Pack",
    prompt: "What should the pack be about?",
    placeHolder: "rotate tokens after a leak",
  });
  if (query === undefined || query.trim() === "") {
    return;
  }
  try {
    const pack = await ask<object>("akm/contextPack", { query, maxItems: 10, maxTokens: 4000 });
    const document = await vscode.workspace.openTextDocument({
      language: "json",
      content: `${JSON.stringify(pack, undefined, 2)}\n`,
    });
    await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
  } catch (error) {
    void vscode.window.showErrorMessage(`AKM: no context pack. ${messageOf(error)}`);
  }
}
