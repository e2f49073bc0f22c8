/** One running server at a time: starting it, stopping it, asking it. */

import { constants, accessSync, statSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import {
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type LanguageClientOptions,
  type Location,
  type Middleware,
  type Position,
} from "vscode-languageclient/node";
import { DOCUMENT_SELECTOR } from "./documents.js";
import { findServer, type NoServer, type Surroundings } from "./server-command.js";
import { answerFor, serverSettings, type ServerSettings } from "./settings.js";

/** Settings that the server reads once, at its start. */
const START_SETTINGS = ["akm.server.command", "akm.dataDir", "akm.config"];

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private command = "";
  /** Starts and stops wait for each other here; two at once would leave a process behind. */
  private queue: Promise<void> = Promise.resolve();
  private readonly subscriptions: vscode.Disposable[] = [];

  constructor(private readonly output: vscode.LogOutputChannel) {
    this.subscriptions.push(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (START_SETTINGS.some((setting) => event.affectsConfiguration(setting))) {
          void this.restart();
        } else if (event.affectsConfiguration("akm")) {
          void this.tellSettings();
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        if (this.running === undefined) {
          void this.restart();
        }
      }),
    );
  }

  /** The client of a server that answers; undefined while there is none. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** How the running server was started, for people to read. */
  get commandLine(): string {
    return this.command;
  }

  /** Stops what runs and starts anew, with the settings of this moment. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work, work);
    return this.queue;
  }

  private async startNow(): Promise<void> {
    const found = findServer(surroundings());
    if (found.kind === "missing") {
      this.output.error(`${found.problem} ${found.nextStep}`);
      void offerCure(found, this.output);
      return;
    }
    this.command = [found.command, ...found.args].join(" ");
    this.output.info(`Starting ${this.command} (from ${ORIGINS[found.origin]}).`);
    const client = new LanguageClient(
      "akm",
      "AKM",
      {
        command: found.command,
        args: [...found.args],
        // Not the workspace: `python -m` would import what lies there, trusted or not.
        options: { cwd: homedir() },
      },
      this.clientOptions(),
    );
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      // The client has shown that it failed; what helps is how it was called.
      this.output.error(
        `${this.command} did not start: ${String(error)}. ` +
          "Run it in a terminal with --version to see why, then “AKM: Restart Server”.",
      );
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      // It never ran, or took too long to say goodbye; the client has ended the process.
      this.output.debug(`Stopping: ${String(error)}`);
    }
  }

  private async tellSettings(): Promise<void> {
    await this.running?.sendNotification("workspace/didChangeConfiguration", {
      settings: { akm: currentSettings() },
    });
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: DOCUMENT_SELECTOR,
      outputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: currentSettings,
      // False: do not try again, and leave the telling to startNow and the client's own message.
      initializationFailedHandler: () => false,
      middleware: MIDDLEWARE,
    };
  }
}

const ORIGINS = {
  setting: "akm.server.command",
  path: "PATH",
  workspace: "the workspace's .venv",
} as const;

/**
 * Answers the server's questions about `akm.*` with the same values it got at its start, and runs
 * the command of its code lenses here: only an editor can show a list of places.
 */
const MIDDLEWARE: Middleware = {
  executeCommand: (command, args, next): unknown =>
    command === "akm.showReferences" ? showReferences(args) : next(command, args),
  workspace: {
    configuration: async (params, token, next) => {
      const answers = await next(params, token);
      if (!Array.isArray(answers)) {
        return answers;
      }
      return params.items.map((item, position): unknown => {
        const scope = item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri);
        const ours = answerFor(item.section, currentSettings(scope));
        return ours === undefined ? (answers[position] as unknown) : ours;
      });
    },
  },
};

/** A URI, a position there, and the locations to list, as the protocol has them. */
async function showReferences(args: unknown[]): Promise<void> {
  const [uri, at, places] = args as [string, Position, Location[]];
  const position = (it: Position) => new vscode.Position(it.line, it.character);
  await vscode.commands.executeCommand(
    "editor.action.showReferences",
    vscode.Uri.parse(uri),
    position(at),
    places.map(
      (place) =>
        new vscode.Location(
          vscode.Uri.parse(place.uri),
          new vscode.Range(position(place.range.start), position(place.range.end)),
        ),
    ),
  );
}

function currentSettings(scope?: vscode.Uri): ServerSettings {
  const configuration = vscode.workspace.getConfiguration("akm", scope);
  return serverSettings((key) => configuration.get(key), surroundings());
}

function surroundings(): Surroundings {
  const configured: unknown = vscode.workspace.getConfiguration("akm").get("server.command");
  return {
    configured: Array.isArray(configured)
      ? configured.filter((part): part is string => typeof part === "string" && part !== "")
      : [],
    platform: process.platform,
    env: process.env,
    home: homedir(),
    folders: (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === "file")
      .map((folder) => folder.uri.fsPath),
    trusted: vscode.workspace.isTrusted,
    isExecutable,
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Says what is missing, with a button for the next step. */
async function offerCure(missing: NoServer, output: vscode.LogOutputChannel): Promise<void> {
  const settings = "Open Settings";
  const install = "Open Terminal";
  const log = "Show Log";
  const first = missing.cure === "install" ? [install, settings] : [settings];
  const choice = await vscode.window.showErrorMessage(
    `AKM: ${missing.problem} ${missing.nextStep}`,
    ...first,
    log,
  );
  if (choice === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "akm.server.command");
  } else if (choice === install) {
    const terminal = vscode.window.createTerminal({ name: "Install akm-ls" });
    terminal.show();
    // Typed, not run: it is the user's machine.
    terminal.sendText("pipx install akm-language-server", false);
  } else if (choice === log) {
    output.show();
  }
}
