/** Starts the server and contributes the three commands. */

import * as vscode from "vscode";
import { ProgressType, type LanguageClient, type WorkDoneProgressReport } from "vscode-languageclient/node";
import { Server } from "./server.js";
import { reindexSummary, statusLines, type IndexReport, type Status } from "./status.js";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("AKM", { log: true });
  const started = new Server(output);
  server = started;
  // The commands' names differ from the server's own (akm.status, akm.reindex, …): the language
  // client registers those itself, and a name can be registered only once.
  context.subscriptions.push(
    output,
    started,
    vscode.commands.registerCommand("akm.restartServer", () => started.restart()),
    vscode.commands.registerCommand("akm.reindexBundles", () => reindex(started)),
    vscode.commands.registerCommand("akm.showStatus", () => showStatus(started, output)),
  );
  await started.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
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
  const client = server.running;
  if (client === undefined) {
    await offerRestart(server);
    return;
  }
  try {
    const status = await client.sendRequest<Status>("akm/status", {});
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
