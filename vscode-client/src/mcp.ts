/** Offers `akm-ls mcp` to hosts in the editor that speak the Model Context Protocol. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { complaintOf, interpreterBeside, mcpCommand } from "./mcp-command.js";
import type { ServerSettings } from "./settings.js";
import type { NoServer, ServerCommand } from "./server-command.js";

/** As in package.json. */
const PROVIDER = "akm.mcp";
const PROBE_MS = 20_000;

/** What is known of the server that runs for the editor. */
export interface ServerPlace {
  locate(): Promise<ServerCommand | NoServer>;
  settings(): ServerSettings;
  readonly version: string;
  /** Fires when another server may have been chosen. */
  readonly onHealth: vscode.Event<unknown>;
}

/** Registers the provider; nothing where the host has none (before VS Code 1.101, and forks). */
export function registerMcp(server: ServerPlace): { dispose(): unknown }[] {
  const { lm, McpStdioServerDefinition } = vscode as Partial<typeof vscode>;
  if (typeof lm?.registerMcpServerDefinitionProvider !== "function" || McpStdioServerDefinition === undefined) {
    return [];
  }
  const changed = new vscode.EventEmitter<void>();
  let offered = "";
  const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: async () => {
      const found = await server.locate();
      if (found.kind === "missing") {
        offered = "";
        return [];
      }
      const { command, args } = mcpCommand(found, server.settings());
      offered = [command, ...args].join("\0");
      const definition = new McpStdioServerDefinition("AKM", command, [...args], {}, server.version);
      const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
      if (folder !== undefined) {
        definition.cwd = folder.uri;
      }
      return [definition];
    },
    resolveMcpServerDefinition: async (definition) => {
      const problem = await whyNot(definition.command, definition.args);
      if (problem === undefined) {
        return definition;
      }
      void offerCure(problem, definition.command);
      throw new Error(problem);
    },
  };
  return [
    changed,
    lm.registerMcpServerDefinitionProvider(PROVIDER, provider),
    server.onHealth(() => {
      void server.locate().then((found) => {
        const now =
          found.kind === "missing"
            ? ""
            : [found.command, ...mcpCommand(found, server.settings()).args].join("\0");
        if (now !== offered) {
          changed.fire();
        }
      });
    }),
  ];
}

/** What a server says that ends at once: the SDK is missing, an option is wrong. */
function whyNot(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(command, [...args], { timeout: PROBE_MS, cwd: undefined }, (error, _stdout, stderr) => {
      // Whoever says nothing for so long has started, and is ended here.
      resolve(error === null || error.killed ? undefined : complaintOf(stderr) || error.message);
    });
    // A server without a client ends well: what is looked for is one that does not.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end();
  });
}

async function offerCure(problem: string, command: string): Promise<void> {
  const python = interpreterBeside(command, process.platform);
  const install = "Install It";
  const canInstall = problem.includes("[mcp]") && existsSync(python);
  const choice = await vscode.window.showErrorMessage(`AKM: ${problem}`, ...(canInstall ? [install] : []));
  if (choice === install) {
    const args = ["-m", "pip", "install", "--upgrade", "mcp>=2,<3"];
    vscode.window.createTerminal({ name: "AKM: MCP", shellPath: python, shellArgs: args }).show();
  }
}
