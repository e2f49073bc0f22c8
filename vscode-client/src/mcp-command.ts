/** The command line of `akm-ls mcp`, made of the one that serves the editor. */

import * as path from "node:path";

/** What MCP-speaking hosts start. */
export interface McpCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Words of `akm.server.command` that mean the editor's protocol. */
const EDITORS_OWN = new Set(["serve", "--stdio"]);

/**
 * @param found - the server, as it is started for the editor
 * @param settings - the section `akm` as the server gets it, paths made absolute
 */
export function mcpCommand(found: McpCommand, settings: Readonly<Record<string, unknown>>): McpCommand {
  const bundleDirs = Array.isArray(settings.bundleDirs) ? settings.bundleDirs : [];
  return {
    command: found.command,
    args: [
      ...found.args.filter((arg) => !EDITORS_OWN.has(arg)),
      "mcp",
      ...bundleDirs.flatMap((each: unknown) => option("--bundle-dir", each)),
      ...option("--data-dir", settings.dataDir),
      ...option("--config", settings.config),
      ...(settings.offline === true ? ["--offline"] : []),
    ],
  };
}

/** The interpreter of the environment that a console script lies in. */
export function interpreterBeside(command: string, platform: NodeJS.Platform): string {
  const paths = platform === "win32" ? path.win32 : path.posix;
  const directory = paths.dirname(command);
  return platform === "win32" ? paths.join(directory, "python.exe") : paths.join(directory, "python");
}

/** What a server that does not start says: its last line, without the program's name. */
export function complaintOf(stderr: string): string {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "").replace(/^akm-ls: /, "");
}

function option(name: string, value: unknown): string[] {
  return typeof value === "string" && value !== "" ? [name, value] : [];
}
