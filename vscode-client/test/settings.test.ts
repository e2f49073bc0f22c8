import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answerFor, serverSettings } from "../src/settings.js";

const AT = { home: "/home/ana", folders: ["/code/stash"], platform: "linux" } as const;

function settingsOf(values: Record<string, unknown>) {
  return serverSettings((key) => values[key], AT);
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

  it("tell the name of a model from its folder", () => {
    const local = (value: string) =>
      (settingsOf({ "embedding.localModel": value }).embedding as { localModel: string }).localModel;
    assert.equal(local("wordllama"), "wordllama");
    assert.equal(local("~/models/potion"), "/home/ana/models/potion");
  });

  it("are nested, and keep “not set” as it is", () => {
    const settings = settingsOf({ bundleDirs: [], dataDir: "", "lint.rules": {}, "lint.portable": true });
    assert.deepEqual(settings.lint, { portable: true, rules: {} });
    assert.deepEqual([settings.bundleDirs, settings.dataDir], [[], ""]);
  });

  it("keep values of a wrong type, for the server to complain about", () => {
    const settings = settingsOf({ bundleDirs: "~/akm", dataDir: 7, "lint.rules": [] });
    assert.deepEqual([settings.bundleDirs, settings.dataDir], ["~/akm", 7]);
    assert.deepEqual((settings.lint as { rules: unknown }).rules, []);
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
