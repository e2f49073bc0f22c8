/** Looking for a Python that can hold the server. Programs are started by what the caller gives. */

import * as path from "node:path";

/** The oldest Python that the server runs on, as in its `requires-python`. */
export const OLDEST_PYTHON: readonly [number, number] = [3, 10];

/** What a program did; `code` is null when it could not be started. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; never rejects. */
export type Run = (command: string, args: readonly string[]) => Promise<Ran>;

export interface Python {
  readonly command: readonly string[];
  /** The interpreter's own file. */
  readonly executable: string;
  readonly version: string;
}

export interface NoPython {
  /** What was found instead and why it does not do, e.g. for the log. */
  readonly rejected: readonly string[];
  readonly problem: string;
  readonly nextStep: string;
}

/** Prints version, file and whether an environment can be made; works in every Python 3. */
export const PROBE =
  "import sys, importlib.util as u; " +
  "print('%d.%d.%d' % sys.version_info[:3]); print(sys.executable); " +
  "print(int(all(u.find_spec(m) for m in ('venv', 'ensurepip'))))";

/** The commands to try, best first. `interpreter` is that of the Python extension. */
export function pythonCandidates(
  interpreter: string | undefined,
  platform: NodeJS.Platform,
): (readonly string[])[] {
  const chosen = interpreter === undefined ? [] : [[interpreter]];
  return platform === "win32"
    ? [...chosen, ["py", "-3"], ["python"], ["python3"]]
    : [...chosen, ["python3"], ["python"], ...newestFirst()];
}

/** Distributions with an old `python3` have newer ones beside it. */
function newestFirst(): string[][] {
  return [14, 13, 12, 11, 10].map((minor) => [`python3.${String(minor)}`]);
}

/** The first candidate that is new enough and can make an environment. */
export async function findPython(
  candidates: readonly (readonly string[])[],
  run: Run,
  platform: NodeJS.Platform,
): Promise<Python | NoPython> {
  const rejected: string[] = [];
  let withoutVenv: string | undefined;
  for (const command of candidates) {
    const [program = "", ...args] = command;
    // -I: nothing of the current directory or the user's variables is imported.
    const ran = await run(program, [...args, "-I", "-c", PROBE]);
    const [version = "", executable = "", complete] = ran.stdout.trim().split(/\r?\n/);
    if (ran.code !== 0 || !/^\d+\.\d+\.\d+$/.test(version) || !path.isAbsolute(executable)) {
      rejected.push(`${command.join(" ")}: not there`);
    } else if (isTooOld(version)) {
      rejected.push(`${command.join(" ")}: Python ${version} is too old`);
    } else if (complete !== "1") {
      withoutVenv ??= version;
      rejected.push(`${command.join(" ")}: Python ${version} has no venv and ensurepip`);
    } else {
      return { command, executable, version };
    }
  }
  return { rejected, ...explain(rejected, withoutVenv, platform) };
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_PYTHON;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

function explain(
  rejected: readonly string[],
  withoutVenv: string | undefined,
  platform: NodeJS.Platform,
): Pick<NoPython, "problem" | "nextStep"> {
  const wanted = OLDEST_PYTHON.join(".");
  if (withoutVenv !== undefined) {
    const minor = withoutVenv.split(".").slice(0, 2).join(".");
    return {
      problem: `Python ${withoutVenv} cannot make environments here: its module venv is missing.`,
      nextStep:
        platform === "linux"
          ? `Install it (Debian, Ubuntu: sudo apt install python${minor}-venv), then try again.`
          : "Install Python from python.org, then try again.",
    };
  }
  const old = rejected.find((reason) => reason.endsWith("is too old"));
  return {
    problem:
      old === undefined
        ? "No Python was found on this machine."
        : `Python ${wanted} or newer is needed; ${old}.`,
    nextStep: `Install Python ${wanted} or newer (python.org, or your package manager), then try again.`,
  };
}
