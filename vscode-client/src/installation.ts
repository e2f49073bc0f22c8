/**
 * The environment that the extension owns: one folder for each version of the server, which counts
 * once a file in it says that it is complete.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import type { Python, Run } from "./python.js";
import { SERVER_NAME } from "./server-command.js";
import { versionOf } from "./versions.js";

/** Written last, so that an installation that was interrupted is none. */
const COMPLETE = "complete.json";
const PREFIX = "server-";

export interface Installed {
  readonly version: string;
  readonly executable: string;
}

/** An installation that did not come about; the message says what to do next. */
export class InstallError extends Error {
  constructor(
    readonly problem: string,
    readonly nextStep: string,
    /** What the programs printed, for the log. */
    readonly details = "",
  ) {
    super(`${problem} ${nextStep}`);
  }
}

/** The wheel in the extension's folder; undefined in one that was built without. */
export function bundledWheel(folder: string): string | undefined {
  const name = names(folder).find((each) => /^akm_language_server-.*\.whl$/.test(each));
  return name === undefined ? undefined : path.join(folder, name);
}

/** `0.1.0` of `akm_language_server-0.1.0-py3-none-any.whl`. */
export function wheelVersion(wheel: string): string {
  return path.basename(wheel).split("-")[1] ?? "";
}

/** The newest complete installation below `storage`. */
export function findInstalled(storage: string, platform: NodeJS.Platform): Installed | undefined {
  const complete = names(storage).flatMap((name) => {
    const folder = path.join(storage, name);
    if (!name.startsWith(PREFIX) || !fs.existsSync(path.join(folder, COMPLETE))) {
      return [];
    }
    const executable = executableOf(folder, SERVER_NAME, platform);
    const made = fs.statSync(path.join(folder, COMPLETE)).mtimeMs;
    return [{ version: name.slice(PREFIX.length), executable, made }];
  });
  complete.sort((one, other) => other.made - one.made);
  const newest = complete[0];
  return newest && { version: newest.version, executable: newest.executable };
}

/**
 * Makes an environment below `storage` and installs the wheel into it.
 *
 * @param progress - is told each step before it starts.
 * @throws InstallError - nothing counts as installed then, and what was installed before stays.
 */
export async function install(
  python: Python,
  wheel: string,
  storage: string,
  at: { run: Run; platform: NodeJS.Platform; offline: boolean },
  progress: (step: string) => void,
): Promise<Installed> {
  const version = wheelVersion(wheel);
  const folder = path.join(storage, PREFIX + version);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(storage, { recursive: true });

  progress(`Making an environment with Python ${python.version}`);
  const made = await at.run(python.executable, ["-I", "-m", "venv", folder]);
  if (made.code !== 0) {
    throw new InstallError(
      `Python ${python.version} could not make an environment in ${folder}.`,
      "See the log for what it said, or install the server with pipx.",
      made.stdout + made.stderr,
    );
  }

  progress("Installing the server and what it needs");
  const pip = ["-I", "-m", "pip", "--disable-pip-version-check", "--no-input"];
  const installed = await at.run(executableOf(folder, "python", at.platform), [
    ...pip,
    "install",
    "--only-binary=:all:",
    ...(at.offline ? ["--no-index"] : []),
    wheel,
  ]);
  if (installed.code !== 0) {
    throw explainPip(installed.stdout + installed.stderr, at.offline);
  }

  progress("Trying it");
  const executable = executableOf(folder, SERVER_NAME, at.platform);
  const tried = await at.run(executable, ["--version"]);
  if (tried.code !== 0 || versionOf(tried.stdout) !== version) {
    throw new InstallError(
      "The server was installed and does not start.",
      "See the log for what it said.",
      tried.stdout + tried.stderr,
    );
  }
  fs.writeFileSync(path.join(folder, COMPLETE), JSON.stringify({ version, python: python.version }));
  removeOthers(storage, folder);
  return { version, executable };
}

/** pip's complaint as a sentence; its own words go to the log. */
export function explainPip(output: string, offline: boolean): InstallError {
  const package_ = /No matching distribution found for ([\w.-]+)/.exec(output)?.[1];
  const unreachable =
    /NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|Temporary failure in name resolution|getaddrinfo failed/i;
  if (offline || unreachable.test(output)) {
    return new InstallError(
      `The server's own code is here, but ${package_ ?? "what it needs"} could not be downloaded.`,
      offline
        ? "Switch akm.offline off for the installation, or install the server with pipx."
        : "Check the connection (behind a proxy set HTTPS_PROXY or pip's index-url), then try again.",
      output,
    );
  }
  if (/No space left on device|ENOSPC/.test(output)) {
    return new InstallError("The disk is full.", "Free about 150 MB, then try again.", output);
  }
  return new InstallError(
    package_ === undefined
      ? "pip could not install the server."
      : `There is no ready-made ${package_} for this Python and this machine.`,
    package_ === undefined
      ? "See the log for what it said."
      : "Choose another Python (3.10 to 3.13, 64 bit), then try again.",
    output,
  );
}

function executableOf(folder: string, name: string, platform: NodeJS.Platform): string {
  return platform === "win32"
    ? path.join(folder, "Scripts", `${name}.exe`)
    : path.join(folder, "bin", name);
}

/** Older versions go; one that another window still runs (Windows) goes the next time. */
function removeOthers(storage: string, kept: string): void {
  for (const name of names(storage)) {
    const folder = path.join(storage, name);
    if (name.startsWith(PREFIX) && folder !== kept) {
      try {
        fs.rmSync(folder, { recursive: true, force: true });
      } catch {
        // Without the file that makes it count it is only space.
      }
    }
  }
}

function names(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
}
