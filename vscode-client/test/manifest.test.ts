/** What package.json and the code must agree on, since nothing else would notice. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { serverSettings } from "../src/settings.js";

interface Manifest {
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  contributes: {
    commands: { command: string; title: string; category: string }[];
    configuration: { properties: Record<string, { scope?: string; default?: unknown }> };
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

// Tests run from the extension's folder: `npm test` sees to that.
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const settings = manifest.contributes.configuration.properties;

describe("package.json", () => {
  it("contributes the commands that the extension registers, and no others", () => {
    const source = readFileSync("src/extension.ts", "utf8");
    const registered = [...source.matchAll(/registerCommand\("([^"]+)"/g)].map((match) => match[1]);
    const contributed = manifest.contributes.commands.map((command) => command.command);
    assert.deepEqual(contributed.sort(), registered.sort());
  });

  it("leaves the server's own command names to the language client", () => {
    const served = ["search", "show", "references", "status", "reindex", "contextPack", "findCommand", "showReferences"];
    for (const { command } of manifest.contributes.commands) {
      assert.ok(!served.map((name) => `akm.${name}`).includes(command), command);
    }
  });

  it("keeps every setting under akm., with a scope and a default", () => {
    for (const [name, setting] of Object.entries(settings)) {
      assert.match(name, /^akm\./);
      assert.notEqual(setting.scope, undefined, name);
      assert.notEqual(setting.default, undefined, name);
    }
  });

  it("gives the server every setting that is not the client's own", () => {
    const read: string[] = [];
    serverSettings(
      (key) => {
        read.push(`akm.${key}`);
        return "";
      },
      { home: "/", folders: [], platform: "linux" },
    );
    const clients = ["akm.server.command", "akm.trace.server"];
    assert.deepEqual([...read, ...clients].sort(), Object.keys(settings).sort());
  });

  it("has every setting and command explained in docs/vscode.md or the README", () => {
    const guide = readFileSync("../docs/vscode.md", "utf8");
    for (const name of Object.keys(settings)) {
      assert.ok(guide.includes(`\`${name}\``), name);
    }
    const readme = readFileSync("README.md", "utf8");
    for (const { category, title } of manifest.contributes.commands) {
      assert.ok(readme.includes(`${category}: ${title}`), title);
    }
  });

  it("restricts the settings that choose programs and paths until the workspace is trusted", () => {
    for (const name of manifest.capabilities.untrustedWorkspaces.restrictedConfigurations) {
      assert.ok(name in settings, name);
    }
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.sort(), [
      "akm.bundleDirs",
      "akm.config",
      "akm.dataDir",
      "akm.server.command",
    ]);
  });

  it("uses no newer VS Code API than it asks for", () => {
    assert.equal(`^${manifest.devDependencies["@types/vscode"] ?? ""}`, manifest.engines.vscode);
  });
});
