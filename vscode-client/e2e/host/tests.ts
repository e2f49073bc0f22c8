import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";

const PATIENCE_MS = Number(process.env.AKM_E2E_PATIENCE ?? 60) * 1000;
const EXTENSION = "akm-ls.akm-language-server";

type Test = readonly [name: string, run: () => Promise<void>];

const extension = (): vscode.Extension<unknown> => {
  const found = vscode.extensions.getExtension(EXTENSION);
  assert.ok(found, `${EXTENSION} is there`);
  return found;
};
const akm = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("akm");
const machine = (key: string, value: unknown): Thenable<void> =>
  akm().update(key, value, vscode.ConfigurationTarget.Global);
const folder = (): string => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
const file = (name: string): vscode.Uri => vscode.Uri.file(path.join(folder(), name));
const starts = (): { pid: number; at: number }[] => {
  const text = existsSync(STARTS) ? readFileSync(STARTS, "utf8") : "";
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [pid, at] = line.split(" ").map(Number);
      return { pid: pid ?? 0, at: (at ?? 0) * 1000 };
    });
};

/** Where the wrapped server notes each of its starts. */
const STARTS = process.env.AKM_E2E_STARTS ?? "";

async function until<T>(what: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) {
      return answer;
    }
    if (Date.now() > end) {
      assert.fail(`not within ${String(PATIENCE_MS / 1000)} s: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

interface Status {
  readonly version: string;
  readonly index: { readonly entries: number; readonly state: string };
}

/** The server's own answer; undefined while there is no server to ask. */
async function status(): Promise<Status | undefined> {
  try {
    return await vscode.commands.executeCommand<Status>("akm.status", {});
  } catch {
    return undefined;
  }
}

const running = (): Promise<Status> =>
  until("the server answers with an index", async () => {
    const answer = await status();
    return answer?.index.state === "ready" || (answer?.index.entries ?? 0) > 0 ? answer : undefined;
  });
const stopped = (): Promise<boolean> =>
  until("the server is gone", async () => ((await status()) === undefined ? true : undefined));

function codes(uri: vscode.Uri): string[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ source }) => source === "akm")
    .map(({ code }) => String(typeof code === "object" ? code.value : code));
}

async function text(tool: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined });
  return result.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}

function tab(label: RegExp): vscode.Tab | undefined {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find((each) => label.test(each.label));
}

const closeAll = (): Thenable<unknown> => vscode.commands.executeCommand("workbench.action.closeAllEditors");

export const TESTS: readonly Test[] = [
  [
    "it is active in a folder that holds a bundle",
    async () => {
      await until("it is active", () => (extension().isActive ? true : undefined));
    },
  ],
  [
    "every command of the palette is there, with or without a server",
    async () => {
      const manifest = extension().packageJSON as { contributes: { commands: { command: string }[] } };
      const known = new Set(await vscode.commands.getCommands(true));
      for (const { command } of manifest.contributes.commands) {
        assert.ok(known.has(command), command);
      }
    },
  ],
  [
    "without a server nothing answers, and nothing throws",
    async () => {
      assert.equal(await status(), undefined);
      // Each of them offers what can be done about it, and waits for nobody.
      for (const command of ["akm.searchAssets", "akm.showAsset", "akm.copyRef", "akm.createAsset"]) {
        await vscode.commands.executeCommand(command);
      }
      const answer = await text("akm_search", { query: "tokens" }).catch((error: unknown) => String(error));
      assert.match(answer, /not running/);
      await vscode.commands.executeCommand("notifications.clearAll");
    },
  ],
  [
    "Install Server makes an environment of its own and starts what is in it",
    async () => {
      await vscode.commands.executeCommand("akm.installServer");
      const answer = await running();
      const { version } = extension().packageJSON as { version: string };
      assert.equal(answer.version, version);
      const storage = process.env.AKM_E2E_STORAGE ?? "";
      const environment = path.join(storage, EXTENSION, "server", `server-${version}`);
      assert.ok(existsSync(path.join(environment, "bin", "akm-ls")), environment);
    },
  ],
  [
    "findings come for open files and for closed ones",
    async () => {
      const closed = file("knowledge/broken-on-purpose/unquoted-colon.md");
      await until("findings of a closed file", () => (codes(closed).length > 0 ? true : undefined));
      const uri = file("knowledge/broken-on-purpose/missing-ref.md");
      await vscode.window.showTextDocument(uri);
      await until("findings of an open file", () => (codes(uri).includes("missing-ref") ? true : undefined));
    },
  ],
  [
    "a changed setting holds at once",
    async () => {
      const uri = file("knowledge/broken-on-purpose/missing-ref.md");
      const { Workspace } = vscode.ConfigurationTarget;
      await akm().update("lint.rules", { "missing-ref": "off" }, Workspace);
      await until("missing-ref is off", () => (codes(uri).includes("missing-ref") ? undefined : true));
      assert.ok(codes(uri).includes("dead-anchor"));
      await akm().update("lint.rules", undefined, Workspace);
      await until("missing-ref is on again", () => (codes(uri).includes("missing-ref") ? true : undefined));

      const lenses = (): Thenable<vscode.CodeLens[]> =>
        vscode.commands.executeCommand("vscode.executeCodeLensProvider", file("knowledge/auth/token-rotation.md"), 20);
      await vscode.workspace.openTextDocument(file("knowledge/auth/token-rotation.md"));
      await until("lenses", async () => ((await lenses()).length > 0 ? true : undefined));
      await akm().update("codeLens.citations", false, Workspace);
      await until("no lenses", async () => ((await lenses()).length === 0 ? true : undefined));
      await akm().update("codeLens.citations", undefined, Workspace);
    },
  ],
  [
    "commands: show an asset, copy a ref, reindex, the graph",
    async () => {
      await vscode.commands.executeCommand("akm.showAsset", "example-bundle//skills/code-review");
      await until("the page of the asset", () => tab(/code-review/));
      await vscode.commands.executeCommand("akm.copyRef", "example-bundle//skills/code-review");
      assert.equal(await vscode.env.clipboard.readText(), "example-bundle//skills/code-review");

      const editor = await vscode.window.showTextDocument(file("knowledge/auth/token-rotation.md"));
      const line = editor.document.getText().split("\n").indexOf("## Rotate a token");
      editor.selection = new vscode.Selection(line, 3, line, 3);
      await vscode.commands.executeCommand("akm.copyRef");
      assert.equal(
        await vscode.env.clipboard.readText(),
        "example-bundle//knowledge/auth/token-rotation#rotate-a-token",
      );

      await vscode.commands.executeCommand("akm.showGraph");
      await until("the graph's tab", () => tab(/^AKM Graph$/));
      const before = await running();
      // Its message at the end waits for nobody.
      await vscode.commands.executeCommand("akm.reindexBundles");
      assert.equal((await running()).index.entries, before.index.entries);
      await closeAll();
    },
  ],
  [
    "the tools of language models: search, show, context and check, and never a secret",
    async () => {
      const names = vscode.lm.tools.map(({ name }) => name);
      for (const name of ["akm_search", "akm_show", "akm_context", "akm_check"]) {
        assert.ok(names.includes(name), name);
      }
      assert.match(await text("akm_search", { query: "rotate tokens" }), /example-bundle\/\/knowledge\/auth\/token-rotation/);
      assert.match(await text("akm_search", { query: "zzqx" }), /Nothing was found/);
      const shown = await text("akm_show", { ref: "`example-bundle//knowledge/auth/token-rotation#rotate-a-token`" });
      assert.match(shown, /^ref: example-bundle\/\/knowledge\/auth\/token-rotation#rotate-a-token\n[^]*Issue the new token/);
      assert.match(await text("akm_show", { ref: "example-bundle//knowledge/auth/token-rotaton" }), /Try: .*token-rotation/);
      assert.match(
        await text("akm_context", { query: "rotate a leaked token" }),
        /example-bundle\/\/knowledge\/auth\/token-rotation/,
      );
      const found = await text("akm_check", { paths: ["example-bundle//knowledge/broken-on-purpose/missing-ref"] });
      assert.match(found, /missing-ref[^]*token-rotaton/);

      const pack = await text("akm_context", { query: "rotate tokens", maxTokens: 900 });
      assert.match(pack, /- example-bundle\/\/knowledge\/auth\/[^]*\n {2}> .*file:\/\//);
      const faults = await text("akm_check", { paths: ["knowledge/broken-on-purpose"] });
      assert.match(faults, /knowledge\/broken-on-purpose\/missing-ref\.md:\d+:\d+ warning\[missing-ref\]/);
      assert.match(await text("akm_check", { paths: ["example-bundle//skills/code-review"] }), /^No findings in \d+ files\./);
      assert.match(await text("akm_check", { paths: ["example-bundle//skills/code-revew"] }), /Try: .*code-review/);

      const secret = readFileSync(file("secrets/deploy-token").fsPath, "utf8").trim();
      assert.ok(secret.length > 3);
      const told = await text("akm_show", { ref: "example-bundle//secrets/deploy-token" });
      assert.match(told, /A secret: its content is not read/);
      assert.ok(!told.includes(secret));
      assert.ok(!(await text("akm_context", { query: "deploy token" })).includes(secret));
      const values = readFileSync(file("env/checkout.env").fsPath, "utf8")
        .split("\n")
        .flatMap((entry) => /^[A-Z_]+=(.{4,})$/.exec(entry)?.[1] ?? []);
      const keys = await text("akm_show", { ref: "example-bundle//env/checkout" });
      assert.ok(values.length > 0 && !values.some((value) => keys.includes(value)), keys);
    },
  ],
  [
    "akm.server.command chooses the server; one that is not there is a message, not a crash",
    async () => {
      await machine("server.command", ["/nowhere/akm-ls"]);
      await stopped();
      const owned = path.join(process.env.AKM_E2E_STORAGE ?? "", EXTENSION, "server");
      const program = path.join(owned, `server-${(extension().packageJSON as { version: string }).version}`, "bin/akm-ls");
      await machine("server.command", ["/bin/sh", "-c", `echo $$ $(date +%s.%N) >> '${STARTS}'; exec '${program}'`]);
      await running();
      assert.equal(starts().length, 1);
    },
  ],
  [
    "a server that crashes is started again, later each time",
    async () => {
      const waits: number[] = [];
      for (let crash = 1; crash <= 2; crash++) {
        await running();
        const { pid } = starts().at(-1) ?? { pid: 0 };
        const killed = Date.now();
        process.kill(pid, "SIGKILL");
        const again = await until("it is started again", () => starts()[crash]);
        waits.push(again.at - killed);
        await running();
      }
      const [first = 0, second = 0] = waits;
      // Half a second, then two; a busy machine only adds to it.
      assert.ok(first >= 400 && second >= 1900, waits.join(" "));
      // What was open is known to the new server.
      const uri = file("knowledge/broken-on-purpose/missing-ref.md");
      await vscode.window.showTextDocument(uri);
      await until("findings again", () => (codes(uri).includes("missing-ref") ? true : undefined));
    },
  ],
  [
    "a server that cannot start is given up, and Restart Server tries anew",
    async () => {
      await machine("server.command", ["/bin/sh", "-c", "exit 3"]);
      await stopped();
      const before = starts().length;
      await machine("server.command", undefined);
      await running();
      await vscode.commands.executeCommand("akm.restartServer");
      await running();
      assert.equal(starts().length, before);
      await vscode.commands.executeCommand("notifications.clearAll");
    },
  ],
];
