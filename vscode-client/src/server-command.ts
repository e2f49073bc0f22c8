/**
 * Where the server is: the setting, else the Python extension's environment, else `PATH`, else the
 * workspace's `.venv`, else the environment that this extension made.
 *
 * Nothing here touches VS Code, so that every branch can be tested with plain values.
 */

import * as path from "node:path";

/** The name of the console script, as installed by pip, pipx or uv. */
export const SERVER_NAME = "akm-ls";

/** What the search looks at. */
export interface Surroundings {
  /** `akm.server.command`; empty when the user left it alone. */
  readonly configured: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Workspace folders, in VS Code's order. */
  readonly folders: readonly string[];
  /** False in restricted mode: programs that come with the workspace are then left alone. */
  readonly trusted: boolean;
  /** The interpreter that the Python extension has chosen; undefined without that extension. */
  readonly interpreter?: string | undefined;
  /** The server in the environment that this extension made; undefined before it is complete. */
  readonly owned?: string | undefined;
  readonly isExecutable: (file: string) => boolean;
}

export type Origin = "setting" | "interpreter" | "path" | "workspace" | "owned";

export interface ServerCommand {
  readonly kind: "found";
  readonly command: string;
  readonly args: readonly string[];
  readonly origin: Origin;
}

export interface NoServer {
  readonly kind: "missing";
  /** What is wrong, in one sentence. */
  readonly problem: string;
  /** What to do about it, in one sentence. */
  readonly nextStep: string;
  /** A broken setting is repaired in the settings; otherwise the server wants installing. */
  readonly cure: "settings" | "install";
}

/** Finds the program that serves; never starts anything. */
export function findServer(at: Surroundings): ServerCommand | NoServer {
  const [program, ...args] = at.configured;
  if (program !== undefined) {
    const command = findProgram(program, at);
    return command === undefined
      ? {
          kind: "missing",
          problem: `The setting akm.server.command names “${program}”, which is not an executable file here.`,
          nextStep: `Correct the setting, or clear it to use ${SERVER_NAME} from PATH or from the workspace's .venv.`,
          cure: "settings",
        }
      : { kind: "found", command, args, origin: "setting" };
  }

  const beside = besideInterpreter(at);
  if (beside !== undefined && at.trusted) {
    return { kind: "found", command: beside, args: [], origin: "interpreter" };
  }

  const onPath = findOnPath(SERVER_NAME, at);
  if (onPath !== undefined) {
    return { kind: "found", command: onPath, args: [], origin: "path" };
  }

  const inWorkspace = firstExecutable(workspaceCandidates(at), at);
  if (inWorkspace !== undefined && at.trusted) {
    return { kind: "found", command: inWorkspace, args: [], origin: "workspace" };
  }
  if (at.owned !== undefined && at.isExecutable(at.owned)) {
    return { kind: "found", command: at.owned, args: [], origin: "owned" };
  }
  if (inWorkspace !== undefined || beside !== undefined) {
    return {
      kind: "missing",
      problem: `${SERVER_NAME} is only in this workspace's environment, and the workspace is not trusted.`,
      nextStep: "Trust the workspace, or install the server for yourself.",
      cure: "install",
    };
  }
  return {
    kind: "missing",
    problem: `${SERVER_NAME}, the server that reads your files, is not installed.`,
    nextStep:
      "Install it here, or with “pipx install akm-language-server”, or name it in akm.server.command.",
    cure: "install",
  };
}

/**
 * Replaces `${workspaceFolder}` and a leading `~`, which VS Code does not do in settings.
 * A path that is still relative is taken from the first workspace folder.
 */
export function expandPath(
  text: string,
  at: Pick<Surroundings, "home" | "folders" | "platform">,
): string {
  const paths = pathsOf(at.platform);
  const folder = at.folders[0] ?? at.home;
  const expanded = text.replaceAll("${workspaceFolder}", () => folder);
  if (expanded === "~") {
    return at.home;
  }
  if (/^~[/\\]/.test(expanded)) {
    return paths.join(at.home, expanded.slice(2));
  }
  return paths.isAbsolute(expanded) ? expanded : paths.resolve(folder, expanded);
}

function findProgram(program: string, at: Surroundings): string | undefined {
  const isBareName = !/[/\\]/.test(program) && program !== "~";
  return isBareName
    ? findOnPath(program, at)
    : firstExecutable(withExtensions(expandPath(program, at), at), at);
}

function findOnPath(name: string, at: Surroundings): string | undefined {
  const paths = pathsOf(at.platform);
  const directories = (environmentValue("PATH", at) ?? "")
    .split(paths.delimiter)
    .map((directory) => directory.replace(/^"(.*)"$/, "$1"))
    // A relative entry would mean “wherever the editor happened to start”: possibly the workspace.
    .filter((directory) => paths.isAbsolute(directory));
  return firstExecutable(
    directories.flatMap((directory) => withExtensions(paths.join(directory, name), at)),
    at,
  );
}

/** The console script of an environment lies beside its interpreter. */
function besideInterpreter(at: Surroundings): string | undefined {
  const paths = pathsOf(at.platform);
  if (at.interpreter === undefined || !paths.isAbsolute(at.interpreter)) {
    return undefined;
  }
  const directory = paths.dirname(at.interpreter);
  // A Windows installation without an environment has its scripts one folder further down.
  const directories =
    at.platform === "win32" ? [directory, paths.join(directory, "Scripts")] : [directory];
  return firstExecutable(
    directories.flatMap((each) => withExtensions(paths.join(each, SERVER_NAME), at)),
    at,
  );
}

function workspaceCandidates(at: Surroundings): string[] {
  const paths = pathsOf(at.platform);
  const scripts = at.platform === "win32" ? "Scripts" : "bin";
  return at.folders.flatMap((folder) =>
    withExtensions(paths.join(folder, ".venv", scripts, SERVER_NAME), at),
  );
}

/** The file names that Windows would try for a program; elsewhere only the name itself. */
function withExtensions(file: string, at: Surroundings): string[] {
  if (at.platform !== "win32") {
    return [file];
  }
  const known = (environmentValue("PATHEXT", at) ?? ".COM;.EXE").toLowerCase().split(";");
  // Node refuses to start .bat and .cmd files without a shell.
  const extensions = [".com", ".exe"].filter((extension) => known.includes(extension));
  return extensions.some((extension) => file.toLowerCase().endsWith(extension))
    ? [file]
    : extensions.map((extension) => file + extension);
}

/** Windows spells the variable `Path` as often as `PATH`. */
function environmentValue(name: string, at: Surroundings): string | undefined {
  if (at.platform !== "win32") {
    return at.env[name];
  }
  const key = Object.keys(at.env).find((candidate) => candidate.toUpperCase() === name);
  return key === undefined ? undefined : at.env[key];
}

function firstExecutable(files: readonly string[], at: Surroundings): string | undefined {
  return files.find((file) => at.isExecutable(file));
}

function pathsOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}
