/** What package.json and the code must agree on, since nothing else would notice. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ASSET_TYPES } from "../src/hits.js";
import { SERVER_SETTINGS } from "../src/settings.js";

interface Manifest {
  activationEvents: string[];
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  contributes: {
    commands: { command: string; title: string; category: string }[];
    menus: { commandPalette: { command: string; when: string }[] };
    views: { akm: { id: string }[] };
    walkthroughs: { id: string; steps: { description: string; media: Record<string, string>; completionEvents: string[] }[] }[];
    languageModelTools: { name: string; modelDescription: string; inputSchema: { properties: { type?: { enum: string[] } } } }[];
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
    const registered = [...source.matchAll(/register\("([^"]+)"/g)].map((match) => match[1]);
    const contributed = manifest.contributes.commands.map((command) => command.command);
    assert.deepEqual(contributed.sort(), registered.sort());
  });

  it("leaves the server's own command names to the language client", () => {
    // The client registers what the server announces; a second registration ends its start.
    const requests = readFileSync("../server/akm_ls/lsp/features/requests.py", "utf8");
    const served = [...requests.matchAll(/^ {4}"akm\/(\w+)": /gm)].map((match) => match[1] ?? "");
    assert.ok(served.length > 8 && served.includes("search"));
    served.push("showReferences");
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
    const servers = Object.keys(SERVER_SETTINGS).map((key) => `akm.${key}`);
    const clients = ["akm.server.command", "akm.trace.server"];
    assert.deepEqual([...servers, ...clients].sort(), Object.keys(settings).sort());
  });

  it("has every setting and command explained in docs/vscode.md or the README", () => {
    const guide = readFileSync("../docs/vscode.md", "utf8");
    for (const name of Object.keys(settings)) {
      assert.ok(guide.includes(`\`${name}\``), name);
    }
    const readme = readFileSync("README.md", "utf8");
    const hidden = manifest.contributes.menus.commandPalette
      .filter(({ when }) => when === "false")
      .map(({ command }) => command);
    for (const { command, category, title } of manifest.contributes.commands) {
      if (hidden.includes(command)) {
        continue;
      }
      assert.ok(readme.includes(`${category}: ${title}`), title);
    }
  });

  it("starts in every root that the server takes for a bundle by one directory", () => {
    const started = manifest.activationEvents.flatMap((event) => {
      const names = /^workspaceContains:\{([\w,]+)\}\/\*\*\/\*\.md$/.exec(event)?.[1];
      return names?.split(",") ?? [];
    });
    const tuples = ["claims.py", "host_layouts.py"].map((name) => readFileSync(`../server/akm_ls/bundles/${name}`, "utf8")).join("");
    const taken = ["_OWN_DIRECTORIES", "_SHARED_DIRECTORIES", "TOOL_DIRECTORIES"].flatMap((name) => {
      const tuple = new RegExp(`^${name} = \\((.*)\\)$`, "m").exec(tuples)?.[1] ?? "";
      return [...tuple.matchAll(/"(\w+)"/g)].map((match) => match[1]);
    });
    assert.equal(taken.length, 11);
    assert.deepEqual(started.sort(), taken.sort());
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

  it("contributes the tools and views that the code registers", () => {
    const tools = readFileSync("src/tools.ts", "utf8");
    const registered = [...tools.matchAll(/registerTool<unknown>\("([^"]+)"/g)].map((match) => match[1]);
    assert.deepEqual(manifest.contributes.languageModelTools.map((tool) => tool.name), registered);
    for (const view of manifest.contributes.views.akm) {
      const source = readFileSync(`src/${view.id.replace("akm.", "")}-view.ts`, "utf8");
      assert.ok(source.includes(`createTreeView("${view.id}"`), view.id);
    }
  });

  it("has a walkthrough whose commands and pictures are there", () => {
    const [walkthrough] = manifest.contributes.walkthroughs;
    const commands = manifest.contributes.commands.map(({ command }) => command);
    const extension = readFileSync("src/extension.ts", "utf8");
    assert.ok(walkthrough !== undefined && extension.includes(`#${walkthrough.id}`));
    for (const { description, media, completionEvents } of walkthrough.steps) {
      const file = media.image ?? media.markdown ?? "";
      assert.ok(readFileSync(file).length > 0, file);
      const named = `${description} ${completionEvents.join(" ")}`.matchAll(/ommand:(akm\.[\w.]+)/g);
      for (const [, command = ""] of named) {
        // VS Code itself makes a command for each view.
        if (command === "akm.bundles.focus") {
          continue;
        }
        assert.ok(commands.includes(command), command);
      }
    }
  });

  it("describes the tools briefly, with the asset types that there are", () => {
    for (const tool of manifest.contributes.languageModelTools) {
      assert.ok(tool.modelDescription.length < 700, tool.name);
      const types = tool.inputSchema.properties.type?.enum;
      assert.ok(types === undefined || types.join() === ASSET_TYPES.join(), tool.name);
    }
  });

  it("uses no newer VS Code API than it asks for", () => {
    assert.equal(`^${manifest.devDependencies["@types/vscode"] ?? ""}`, manifest.engines.vscode);
  });
});
