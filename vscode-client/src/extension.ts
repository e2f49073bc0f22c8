/** Starts the server and contributes commands, views and tools. */

import * as vscode from "vscode";
import { ProgressType, type LanguageClient, type WorkDoneProgressReport } from "vscode-languageclient/node";
import { AssetPages, buildContextPack, copyRef } from "./asset-commands.js";
import type { TreeNode } from "./bundle-tree.js";
import { BundlesView } from "./bundles-view.js";
import type { CitationGroup } from "./citations.js";
import { CitationsView } from "./citations-view.js";
import { GraphView } from "./graph-view.js";
import { Installer } from "./installer.js";
import { registerMcp } from "./mcp.js";
import { newAsset } from "./new-asset.js";
import { messageOf } from "./protocol.js";
import { searchAssets } from "./search-pick.js";
import { Server } from "./server.js";
import { showMenu, StatusBar } from "./status-bar.js";
import { reindexSummary, statusLines, type IndexReport, type Status } from "./status.js";
import { registerTools } from "./tools.js";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("AKM", { log: true });
  const installer = new Installer(context, output);
  const started = new Server(output, installer, {
    version: (context.extension.packageJSON as { version: string }).version,
    development: context.extensionMode === vscode.ExtensionMode.Development,
  });
  server = started;
  const pages = new AssetPages(started.ask);
  const bundles = new BundlesView(started);
  const citations = new CitationsView(started);
  const graph = new GraphView(started, context.extensionUri);
  // The commands' names differ from the server's own (akm.status, akm.reindex, …): the language
  // client registers those itself, and a name can be registered only once.
  const register = (name: string, run: (argument: unknown) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(name, run);
  context.subscriptions.push(
    output,
    started,
    pages,
    bundles,
    citations,
    graph,
    new StatusBar(started),
    register("akm.searchAssets", (query) => {
      if (isRunning(started)) {
        searchAssets(started.ask, typeof query === "string" ? query : "");
      }
    }),
    register("akm.showAsset", (of) => (isRunning(started) ? pages.show(refOf(of)) : undefined)),
    register("akm.copyRef", (of) => (isRunning(started) ? copyRef(started.ask, refOf(of)) : undefined)),
    register("akm.showGraph", () => {
      graph.show();
    }),
    register("akm.createAsset", (of) =>
      isRunning(started) ? newAsset(started.ask, placeOf(of)) : undefined,
    ),
    register("akm.buildContextPack", () => (isRunning(started) ? buildContextPack(started.ask) : undefined)),
    register("akm.reindexBundles", () => reindex(started)),
    register("akm.showStatus", () => showStatus(started, output)),
    register("akm.restartServer", () => started.restart()),
    register("akm.installServer", async () => {
      if (await installer.install()) {
        await started.restart();
      }
    }),
    register("akm.showLog", () => {
      output.show();
    }),
    register("akm.getStarted", () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#akm.start`),
    ),
    // What follows belongs to views and the status bar, not to the command palette.
    register("akm.showMenu", () => showMenu(started)),
    register("akm.listMore", (node) => {
      bundles.more(node as TreeNode | undefined);
    }),
    register("akm.openCitation", (group) => citations.open(group as CitationGroup | undefined)),
    ...registerTools(started.ask),
    ...registerMcp(started),
  );
  await started.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Whether there is a server to ask; otherwise the user is offered to start it. */
function isRunning(server: Server): boolean {
  if (server.running === undefined) {
    void offerRestart(server);
    return false;
  }
  return true;
}

/** The ref that a command is about: given as text, or as a node of the tree. */
function refOf(argument: unknown): string | undefined {
  if (typeof argument === "string") {
    return argument;
  }
  const ref = (argument as { ref?: unknown } | undefined | null)?.ref;
  return typeof ref === "string" ? ref : undefined;
}

/** The bundle and type of a node of the tree. */
function placeOf(argument: unknown): { bundle?: string; type?: string } {
  const node = argument as Partial<TreeNode> | undefined | null;
  switch (node?.kind) {
    case "bundle":
      return node.id === undefined ? {} : { bundle: node.id };
    case "type":
      return { ...(node.bundle && { bundle: node.bundle }), ...(node.type && { type: node.type }) };
    default:
      return {};
  }
}

async function reindex(server: Server): Promise<void> {
  const client = server.running;
  if (client === undefined) {
    await offerRestart(server);
    return;
  }
  const report = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "AKM: indexing", cancellable: true },
    (progress, token) => requestReindex(client, progress, token),
  );
  if (report !== undefined) {
    void vscode.window.showInformationMessage(`AKM: ${reindexSummary(report)}`);
  }
}

/** Undefined when it was cancelled, or failed and the user was told why. */
async function requestReindex(
  client: LanguageClient,
  progress: vscode.Progress<{ message?: string; increment?: number }>,
  token: vscode.CancellationToken,
): Promise<IndexReport | undefined> {
  const workDoneToken = `akm-reindex-${String(Date.now())}`;
  let percentage = 0;
  const listener = client.onProgress(REINDEX_PROGRESS, workDoneToken, (value) => {
    const increment = Math.max((value.percentage ?? percentage) - percentage, 0);
    percentage += increment;
    progress.report({ increment, ...(value.message === undefined ? {} : { message: value.message }) });
  });
  try {
    return await client.sendRequest<IndexReport>("akm/reindex", { full: true, workDoneToken }, token);
  } catch (error) {
    if (!token.isCancellationRequested) {
      void vscode.window.showErrorMessage(`AKM: indexing failed. ${messageOf(error)}`);
    }
    return undefined;
  } finally {
    listener.dispose();
  }
}

/** Begin, report and end all come as one type; their `kind` does not matter here. */
const REINDEX_PROGRESS = new ProgressType<Partial<WorkDoneProgressReport>>();

async function showStatus(server: Server, output: vscode.LogOutputChannel): Promise<void> {
  if (server.running === undefined) {
    await offerRestart(server);
    return;
  }
  try {
    const status = await server.ask<Status>("akm/status", {});
    for (const line of statusLines(status, server.commandLine)) {
      output.info(line);
    }
  } catch (error) {
    output.error(`akm/status failed: ${messageOf(error)}`);
  }
  output.show();
}

async function offerRestart(server: Server): Promise<void> {
  const restart = "Restart Server";
  const choice = await vscode.window.showWarningMessage(
    "AKM: the server is not running. The log of the output channel “AKM” says why.",
    restart,
  );
  if (choice === restart) {
    await server.restart();
  }
}
