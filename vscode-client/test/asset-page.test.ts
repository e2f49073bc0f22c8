import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assetForModel, assetPage, hitsForModel, refAt } from "../src/asset-page.js";
import type { Shown } from "../src/protocol.js";

const heading = (slug: string, level: number, line: number) => ({
  slug,
  title: slug,
  level,
  range: { start: { line, character: 0 }, end: { line, character: 9 } },
});

const TOKENS: Shown = {
  ref: "team//knowledge/auth/tokens",
  bundle: "team",
  type: "knowledge",
  name: "auth/tokens",
  title: "Tokens",
  description: "How tokens rotate.",
  content: "\n# Tokens\n\nThey live 15 minutes.\n",
  fragments: [heading("tokens", 1, 4), heading("rotate", 2, 8)],
  xrefs: ["team//skills/review"],
  citedBy: { total: 3, refs: ["team//skills/review"] },
  supersededBy: ["team//knowledge/auth/keys"],
};

describe("the page of an asset", () => {
  it("has its ref, what replaced it, its text and who cites it", () => {
    const page = assetPage(TOKENS);
    assert.match(page, /^# Tokens\n\n`team\/\/knowledge\/auth\/tokens` · knowledge\n/);
    assert.match(page, /\*\*Superseded by\*\* `team\/\/knowledge\/auth\/keys`/);
    assert.match(page, /They live 15 minutes\./);
    assert.match(page, /- `team\/\/skills\/review`\n- and 2 more/);
  });

  it("of a script says how it is run", () => {
    const script = { ref: "t//scripts/x", bundle: "t", type: "script", name: "x", run: "bash x.sh", cwd: "/srv" };
    assert.match(assetPage(script), /Run: `bash x\.sh`\n\nDirectory: `\/srv`/);
  });

  it("of an env file has the names of its keys, of a secret nothing", () => {
    const env = { ref: "t//env/x", bundle: "t", type: "env", name: "x", keys: ["A_KEY"], content: "A_KEY=1" };
    assert.match(assetPage(env), /- `A_KEY`/);
    assert.doesNotMatch(assetPage(env), /=1/);
    const secret = { ref: "t//secrets/x", bundle: "t", type: "secret", name: "x", content: "hunter2" };
    for (const text of [assetPage(secret), assetForModel(secret)]) {
      assert.doesNotMatch(text, /hunter2/);
    }
  });
});

describe("the ref to copy", () => {
  it("is that of the heading at the cursor", () => {
    assert.equal(refAt(TOKENS, 8), "team//knowledge/auth/tokens#rotate");
  });

  it("is the asset's elsewhere, and on its title", () => {
    assert.equal(refAt(TOKENS, 4), TOKENS.ref);
    assert.equal(refAt(TOKENS, 6), TOKENS.ref);
  });
});

describe("for a language model", () => {
  it("an asset has a head that says what it is and what it cites", () => {
    const text = assetForModel(TOKENS);
    assert.match(text, /^ref: team\/\/knowledge\/auth\/tokens\ntype: knowledge\n/);
    assert.match(text, /\nsuperseded by: team\/\/knowledge\/auth\/keys\n/);
    assert.match(text, /\nsections: #tokens #rotate\n/);
    assert.match(text, /\ncites: team\/\/skills\/review\n/);
  });

  it("hits have refs and passages, and no passage of an env file", () => {
    const hit = { ref: "t//knowledge/a", bundle: "t", type: "knowledge", name: "a", description: "About a.", citation: { text: "a\nb" } };
    const env = { ref: "t//env/e", bundle: "t", type: "env", name: "e", citation: { text: "KEY=1" } };
    const text = hitsForModel("a", { hits: [hit, env], total: 9 });
    assert.match(hitsForModel("a", { hits: [hit], total: 1 }), /^1 of 1 asset for “a”:\n/);
    assert.match(text, /^2 of 9 assets for “a”:\n\n- t\/\/knowledge\/a \(knowledge\)\n {2}About a\.\n {2}> a b\n/);
    assert.doesNotMatch(text, /KEY=1/);
  });

  it("nothing found comes with the server's tip", () => {
    const text = hitsForModel("x", { hits: [], total: 0, tip: "Try fewer words." });
    assert.equal(text, "Nothing was found for “x”. Try fewer words.\n");
  });
});
