import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { complaintOf, interpreterBeside, mcpCommand } from "../src/mcp-command.js";

describe("the command line of the MCP server", () => {
  it("is the server's own, with mcp", () => {
    assert.deepEqual(mcpCommand({ command: "/bin/akm-ls", args: [] }, {}), {
      command: "/bin/akm-ls",
      args: ["mcp"],
    });
  });

  it("leaves out what asks for the editor's protocol", () => {
    const found = { command: "python", args: ["-m", "akm_ls", "serve", "--stdio"] };
    assert.deepEqual(mcpCommand(found, {}).args, ["-m", "akm_ls", "mcp"]);
  });

  it("takes the settings that say where things are", () => {
    const settings = { bundleDirs: ["/a", "/b"], dataDir: "/d", config: "/c.json", offline: true };
    assert.deepEqual(mcpCommand({ command: "akm-ls", args: [] }, settings).args, [
      "mcp",
      ...["--bundle-dir", "/a", "--bundle-dir", "/b"],
      ...["--data-dir", "/d", "--config", "/c.json", "--offline"],
    ]);
  });

  it("passes over settings that are none", () => {
    const settings = { bundleDirs: [7, ""], dataDir: "", config: null, offline: false };
    assert.deepEqual(mcpCommand({ command: "akm-ls", args: [] }, settings).args, ["mcp"]);
  });
});

it("the interpreter lies beside the console script", () => {
  assert.equal(interpreterBeside("/v/bin/akm-ls", "linux"), "/v/bin/python");
  assert.equal(interpreterBeside("C:\\v\\Scripts\\akm-ls.exe", "win32"), "C:\\v\\Scripts\\python.exe");
});

it("a complaint is the last line that the server says", () => {
  assert.equal(complaintOf("note\nakm-ls: akm-ls mcp needs the MCP SDK: pip\n\n"), "akm-ls mcp needs the MCP SDK: pip");
  assert.equal(complaintOf(""), "");
});

it("package.json announces the provider that the code registers", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    contributes: { mcpServerDefinitionProviders: { id: string }[] };
  };
  const [, id] = /PROVIDER = "([^"]+)"/.exec(readFileSync("src/mcp.ts", "utf8")) ?? [];
  assert.deepEqual(manifest.contributes.mcpServerDefinitionProviders.map((each) => each.id), [id]);
});
