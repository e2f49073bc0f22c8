/** One click: the bundled wheel into an environment that the extension owns. */

import * as path from "node:path";
import * as vscode from "vscode";
import {
  bundledWheel,
  findInstalled,
  install,
  InstallError,
  wheelVersion,
  type Installed,
} from "./installation.js";
import { findPython, pythonCandidates } from "./python.js";
import { activeInterpreter } from "./python-extension.js";
import { runner } from "./runner.js";

export class Installer {
  private readonly storage: string;
  private readonly wheel: string | undefined;
  private running: Promise<boolean> | undefined;

  constructor(
    context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.storage = path.join(context.globalStorageUri.fsPath, "server");
    this.wheel = bundledWheel(path.join(context.extensionPath, "wheel"));
  }

  /** Whether this build of the extension brings a server. */
  get canInstall(): boolean {
    return this.wheel !== undefined;
  }

  get installed(): Installed | undefined {
    return findInstalled(this.storage, process.platform);
  }

  /** Whether what is installed is of another version than what the extension brings. */
  get isOutdated(): boolean {
    const installed = this.installed;
    return (
      this.wheel !== undefined &&
      installed !== undefined &&
      installed.version !== wheelVersion(this.wheel)
    );
  }

  /** Installs with progress, or says what to do; whether there is a server now. */
  install(): Promise<boolean> {
    this.running ??= this.installOnce().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async installOnce(): Promise<boolean> {
    const wheel = this.wheel;
    if (wheel === undefined) {
      void vscode.window.showErrorMessage(
        "AKM: this build of the extension brings no server. Install it with “pipx install akm-language-server”.",
      );
      return false;
    }
    const stop = new AbortController();
    try {
      const installed = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: "AKM", cancellable: true },
        (progress, token) => {
          token.onCancellationRequested(() => {
            stop.abort();
          });
          return this.steps(wheel, stop.signal, (message) => {
            progress.report({ message });
          });
        },
      );
      this.output.info(`Installed akm-ls ${installed.version}: ${installed.executable}`);
      return true;
    } catch (error) {
      if (!stop.signal.aborted) {
        await this.explain(error);
      }
      return false;
    }
  }

  private async steps(
    wheel: string,
    signal: AbortSignal,
    progress: (message: string) => void,
  ): Promise<Installed> {
    const run = runner(signal, (line) => {
      this.output.info(line);
    });
    progress("Looking for Python");
    // What belongs to a workspace that is not trusted is not run, not even to ask its version.
    const interpreter = vscode.workspace.isTrusted ? await activeInterpreter() : undefined;
    const python = await findPython(
      pythonCandidates(interpreter, process.platform),
      run,
      process.platform,
    );
    if ("problem" in python) {
      throw new InstallError(python.problem, python.nextStep, python.rejected.join("\n"));
    }
    const offline = vscode.workspace.getConfiguration("akm").get("offline") === true;
    return install(python, wheel, this.storage, { run, platform: process.platform, offline }, progress);
  }

  private async explain(error: unknown): Promise<void> {
    const known = error instanceof InstallError;
    if (known && error.details !== "") {
      this.output.error(error.details);
    }
    this.output.error(`Installing the server failed: ${String(error)}`);
    const again = "Try Again";
    const log = "Show Log";
    const text = known ? error.message : `The server could not be installed. ${String(error)}`;
    const choice = await vscode.window.showErrorMessage(`AKM: ${text}`, again, log);
    if (choice === again) {
      await vscode.commands.executeCommand("akm.installServer");
    } else if (choice === log) {
      this.output.show();
    }
  }
}
