/** One running server at a time: starting it, stopping it, asking it. */

import { constants, accessSync, statSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type ErrorHandler,
  type LanguageClientOptions,
  type Location,
  type Middleware,
  type Position,
} from "vscode-languageclient/node";
import { CrashBackOff } from "./crashes.js";
import { DOCUMENT_SELECTOR } from "./documents.js";
import type { Installer } from "./installer.js";
import type { Indexed } from "./protocol.js";
import { activeInterpreter, onInterpreterChange } from "./python-extension.js";
import { findServer, type NoServer, type Origin, type ServerCommand, type Surroundings } from "./server-command.js";
import { answerFor, serverSettings, type ServerSettings } from "./settings.js";
import { indexProgress, type Health } from "./status.js";
import { versionProblem } from "./versions.js";

/** Settings that the server reads once, at its start. */
const START_SETTINGS = [
  "akm.server.command",
  "akm.dataDir",
  "akm.config",
  "akm.embedding.apiKey",
];

/** The variable that hands `akm.embedding.apiKey` over: no message, so no trace, holds the key. */
const KEY_VARIABLE = "AKM_LS_CLIENT_API_KEY";

/** A server that is not there was asked. */
export class NotRunning extends Error {
  constructor() {
    super("The server is not running. The log of the output channel “AKM” says why.");
  }
}

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private command = "";
  private interpreter: string | undefined;
  /** Starts and stops wait for each other here; two at once would leave a process behind. */
  private queue: Promise<void> = Promise.resolve();
  private readonly backOff = new CrashBackOff();
  private retry: NodeJS.Timeout | undefined;
  private current: Health = { kind: "stopped" };
  private readonly healthChange = new vscode.EventEmitter<Health>();
  private readonly indexed = new vscode.EventEmitter<Indexed>();
  private readonly subscriptions: { dispose(): unknown }[] = [this.healthChange, this.indexed];

  /** Fires with each change of how the server is. */
  readonly onHealth = this.healthChange.event;
  /** Fires when the server has taken over changes of the files. */
  readonly onIndexed = this.indexed.event;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly installer: Installer,
    private readonly about: { readonly version: string; readonly development: boolean },
  ) {
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
    void onInterpreterChange(() => void this.interpreterChanged()).then((subscription) => {
      if (subscription !== undefined) {
        this.subscriptions.push(subscription);
      }
    });
  }

  /** The client of a server that answers; undefined while there is none. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** How the running server was started, for people to read. */
  get commandLine(): string {
    return this.command;
  }

  get health(): Health {
    return this.current;
  }

  /** Where the server is, whether it runs or not. */
  async locate(): Promise<ServerCommand | NoServer> {
    return findServer(await this.surroundings());
  }

  /** The settings of this moment, as the server gets them. */
  settings(): ServerSettings {
    return currentSettings();
  }

  get version(): string {
    return this.about.version;
  }

  /** Whether the running server has a request, e.g. `akm/contextPack`. */
  answers(method: string): boolean {
    const commands = this.running?.initializeResult?.capabilities.executeCommandProvider?.commands;
    return commands?.includes(method.replace("/", ".")) === true;
  }

  /**
   * Sends a request.
   *
   * @throws NotRunning - there is no server; or what the server answers instead of a result.
   */
  readonly ask = async <T>(method: string, params: object, signal?: AbortSignal): Promise<T> => {
    const client = this.running;
    if (client === undefined) {
      throw new NotRunning();
    }
    const source = new vscode.CancellationTokenSource();
    const abort = (): void => {
      source.cancel();
    };
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await client.sendRequest<T>(method, params, source.token);
    } finally {
      signal?.removeEventListener("abort", abort);
      source.dispose();
    }
  };

  /** Stops what runs and starts anew, with the settings of this moment. */
  restart(): Promise<void> {
    this.backOff.reset();
    return this.startAnew();
  }

  stop(): Promise<void> {
    clearTimeout(this.retry);
    return this.enqueue(() => this.stopNow());
  }

  dispose(): void {
    clearTimeout(this.retry);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private startAnew(): Promise<void> {
    clearTimeout(this.retry);
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work, work);
    return this.queue;
  }

  private set(health: Health): void {
    if ((health.kind === "running") !== (this.current.kind === "running")) {
      // For the walkthrough.
      void vscode.commands.executeCommand("setContext", "akm.serverRuns", health.kind === "running");
    }
    this.current = health;
    this.healthChange.fire(health);
  }

  private async startNow(): Promise<void> {
    this.set({ kind: "starting" });
    const at = await this.surroundings();
    const found = findServer(at);
    if (found.kind === "missing") {
      this.output.error(`${found.problem} ${found.nextStep}`);
      this.set({ kind: "missing", problem: found.problem });
      void this.offerCure(found);
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
        options: { cwd: homedir(), env: { ...process.env, ...keyVariable() } },
      },
      this.clientOptions(),
    );
    this.client = client;
    client.onNotification("akm/didIndex", (indexed: Indexed) => {
      this.indexed.fire(indexed);
    });
    try {
      await client.start();
    } catch (error) {
      const problem = `${this.command} did not start: ${String(error)}.`;
      this.output.error(`${problem} Run it in a terminal with --version to see why.`);
      this.set({ kind: "crashed", problem });
      void this.offerRestart("The server did not start.");
      return;
    }
    this.set({ kind: "running", percentage: undefined });
    await vscode.commands.executeCommand("setContext", "akm.answersContextPack", this.answers("akm/contextPack"));
    void this.checkVersion(client, found.origin);
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client === undefined) {
      return;
    }
    this.set({ kind: "stopped" });
    try {
      await client.dispose();
    } catch (error) {
      // It never ran, or took too long to say goodbye; the client has ended the process.
      this.output.debug(`Stopping: ${String(error)}`);
    }
  }

  private async checkVersion(client: LanguageClient, origin: Origin): Promise<void> {
    const version = client.initializeResult?.serverInfo?.version;
    const outdated = origin === "owned" && this.installer.isOutdated;
    const problem =
      versionProblem(version, this.about.version) ??
      (outdated ? `The server is akm-ls ${version ?? ""}; this extension brings another one.` : undefined);
    if (problem === undefined) {
      return;
    }
    this.output.warn(problem);
    const update = "Update the Server";
    const choice = await vscode.window.showWarningMessage(`AKM: ${problem}`, ...(outdated ? [update] : []));
    if (choice === update) {
      await vscode.commands.executeCommand("akm.installServer");
    }
  }

  /** The process ended and nobody asked it to. */
  private crashed(client: LanguageClient): void {
    if (this.client !== client || client.state !== State.Running) {
      return;
    }
    const delay = this.backOff.crashed(Date.now());
    if (delay === undefined) {
      this.set({ kind: "crashed", problem: "The server ended five times within five minutes." });
      void this.offerRestart("The server ended five times within five minutes and is not started again.");
      return;
    }
    this.output.warn(`The server ended unexpectedly; it is started again in ${String(delay / 1000)} s.`);
    this.set({ kind: "crashed", problem: "The server ended unexpectedly and is started again." });
    this.retry = setTimeout(() => void this.startAnew(), delay);
  }

  private async interpreterChanged(): Promise<void> {
    const before = findServer(await this.surroundings(this.interpreter));
    const now = findServer(await this.surroundings());
    const command = (found: typeof now): string | undefined =>
      found.kind === "found" ? found.command : undefined;
    if (command(before) !== command(now)) {
      await this.restart();
    }
  }

  private async tellSettings(): Promise<void> {
    await this.running?.sendNotification("workspace/didChangeConfiguration", {
      settings: { akm: currentSettings() },
    });
  }

  private clientOptions(): LanguageClientOptions {
    const errorHandler: ErrorHandler = {
      error: (_error, _message, count) => ({
        action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
      }),
      closed: () => {
        if (this.client !== undefined) {
          this.crashed(this.client);
        }
        return { action: CloseAction.DoNotRestart, handled: true, message: "The server has ended." };
      },
    };
    return {
      documentSelector: DOCUMENT_SELECTOR,
      outputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: currentSettings,
      // False: do not try again, and leave the telling to startNow and the client's own message.
      initializationFailedHandler: () => false,
      errorHandler,
      middleware: {
        ...MIDDLEWARE,
        handleWorkDoneProgress: (token, params, next) => {
          const percentage = indexProgress(token, params);
          if (percentage === undefined) {
            next(token, params);
          } else if (this.current.kind === "running") {
            this.set({ kind: "running", percentage: percentage === "done" ? undefined : percentage });
          }
        },
      },
    };
  }

  private async surroundings(interpreter?: string): Promise<Surroundings> {
    const configured = (this.about.development ? developmentCommand() : undefined) ?? configuredCommand();
    if (interpreter === undefined && configured.length === 0 && vscode.workspace.isTrusted) {
      interpreter = await activeInterpreter();
      this.interpreter = interpreter;
    }
    return {
      ...place(),
      configured,
      env: process.env,
      trusted: vscode.workspace.isTrusted,
      interpreter,
      owned: this.installer.installed?.executable,
      isExecutable,
    };
  }

  private async offerRestart(problem: string): Promise<void> {
    const restart = "Restart Server";
    const log = "Show Log";
    const choice = await vscode.window.showErrorMessage(`AKM: ${problem}`, restart, log);
    if (choice === restart) {
      await this.restart();
    } else if (choice === log) {
      this.output.show();
    }
  }

  /** Says what is missing, with a button for the next step. */
  private async offerCure(missing: NoServer): Promise<void> {
    const settings = "Open Settings";
    const install = "Install Server";
    const log = "Show Log";
    const first = missing.cure === "install" && this.installer.canInstall ? [install, settings] : [settings];
    const choice = await vscode.window.showErrorMessage(
      `AKM: ${missing.problem} ${missing.nextStep}`,
      ...first,
      log,
    );
    if (choice === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "akm.server.command");
    } else if (choice === install) {
      await vscode.commands.executeCommand("akm.installServer");
    } else if (choice === log) {
      this.output.show();
    }
  }
}

const ORIGINS: Readonly<Record<Origin, string>> = {
  setting: "akm.server.command",
  interpreter: "the environment of the Python extension",
  path: "PATH",
  workspace: "the workspace's .venv",
  owned: "the extension's own environment",
};

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
  const hasKey = Object.keys(keyVariable()).length > 0;
  return serverSettings((key) => {
    if (hasKey && key === "embedding.apiKey") {
      return "";
    }
    return hasKey && key === "embedding.apiKeyEnv" ? KEY_VARIABLE : configuration.get(key);
  }, place());
}

function keyVariable(): Record<string, string> {
  const key: unknown = vscode.workspace.getConfiguration("akm").get("embedding.apiKey");
  return typeof key === "string" && key !== "" ? { [KEY_VARIABLE]: key } : {};
}

function configuredCommand(): string[] {
  const configured: unknown = vscode.workspace.getConfiguration("akm").get("server.command");
  return Array.isArray(configured)
    ? configured.filter((part): part is string => typeof part === "string" && part !== "")
    : [];
}

/** For people who work on the extension: the command of .vscode/launch.json, one part a line. */
function developmentCommand(): string[] | undefined {
  return process.env.AKM_LS_COMMAND?.split("\n").filter((part) => part !== "");
}

function place(): Pick<Surroundings, "home" | "folders" | "platform"> {
  return {
    platform: process.platform,
    home: homedir(),
    folders: (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === "file")
      .map((folder) => folder.uri.fsPath),
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
