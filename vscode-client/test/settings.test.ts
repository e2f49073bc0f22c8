import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answerFor, serverSettings } from "../src/settings.js";

const AT = { home: "/home/ana", folders: ["/code/stash"], platform: "linux" } as const;

/** What VS Code has for a user who set nothing. */
const DEFAULTS: Record<string, unknown> = {
  bundleDirs: [],
  dataDir: "",
  config: "",
  offline: false,
  "completion.maxItems": 100,
  "diagnostics.delay": 200,
  "diagnostics.workspace": true,
  "codeLens.citations": true,
  "codeLens.superseded": true,
  "codeLens.tokens": true,
  "inlayHints.titles": true,
  "inlayHints.targets": true,
  "lint.rules": {},
};

function settingsOf(values: Record<string, unknown>) {
  return serverSettings((key) => ({ ...DEFAULTS, ...values })[key], AT);
}

describe("the settings for the server", () => {
  it("have absolute paths", () => {
    const settings = settingsOf({
      bundleDirs: ["~/akm", "notes", "/srv/team"],
      dataDir: "~/index",
      config: "akm.json",
    });
    assert.deepEqual(settings.bundleDirs, ["/home/ana/akm", "/code/stash/notes", "/srv/team"]);
    assert.equal(settings.dataDir, "/home/ana/index");
    assert.equal(settings.config, "/code/stash/akm.json");
  });

  it("keep “not set” as it is", () => {
    assert.deepEqual(settingsOf({}), {
      bundleDirs: [],
      dataDir: "",
      config: "",
      offline: false,
      completion: { maxItems: 100 },
      diagnostics: { delay: 200, workspace: true },
      codeLens: { citations: true, superseded: true, tokens: true },
      inlayHints: { titles: true, targets: true },
      lint: { rules: {} },
    });
  });

  it("keep values of a wrong type, for the server to complain about", () => {
    const settings = settingsOf({ bundleDirs: "~/akm", dataDir: 7, "lint.rules": [] });
    assert.deepEqual([settings.bundleDirs, settings.dataDir, settings.lint.rules], ["~/akm", 7, []]);
  });
});

describe("a question of the server", () => {
  const settings = settingsOf({
    bundleDirs: ["/srv/team"],
    "lint.rules": { "missing-ref": "off" },
  });

  it("for akm is answered with everything", () => {
    assert.equal(answerFor("akm", settings), settings);
  });

  it("for a part is answered with that part", () => {
    assert.deepEqual(answerFor("akm.bundleDirs", settings), ["/srv/team"]);
    assert.deepEqual(answerFor("akm.lint.rules", settings), { "missing-ref": "off" });
  });

  it("for anything else is left to VS Code", () => {
    for (const section of [undefined, "editor", "akmx", "akm.trace.server", "akm.lint.toString"]) {
      assert.equal(answerFor(section, settings), undefined);
    }
  });
});
