import assert from "node:assert/strict";
import { it } from "node:test";
import { checkInput, contextInput, searchInput, showInput } from "../src/tool-inputs.js";

it("a search has a limit that no model exceeds", () => {
  assert.deepEqual(searchInput({ query: " rotate ", limit: 500, type: "" }), { query: "rotate", limit: 30 });
  assert.equal(searchInput({ query: "x", limit: "5" }).limit, 5);
  for (const limit of [0, -1, 2.5, "many", null]) {
    assert.equal(searchInput({ query: "x", limit }).limit, 8);
  }
});

it("anything else than an object is an empty search", () => {
  for (const input of [undefined, null, "rotate", []]) {
    assert.deepEqual(searchInput(input), { query: "", limit: 8 });
  }
});

it("a ref may come with what models put around it", () => {
  for (const ref of ["t//skills/a#b", "`t//skills/a#b`", "[t//skills/a#b].", "akm.show t//skills/a#b"]) {
    assert.equal(showInput({ ref }).ref, "t//skills/a#b");
  }
});

it("a context pack has a budget that no model leaves", () => {
  assert.deepEqual(contextInput({ query: "x" }), { query: "x", maxItems: 6, maxTokens: 1200 });
  assert.deepEqual(contextInput({ query: "x", type: "skill", bundle: "t", maxItems: 500, maxTokens: 1 }), {
    query: "x",
    type: "skill",
    bundle: "t",
    maxItems: 50,
    maxTokens: 800,
  });
});

it("a check of one path may come without the list, and a ref with its quotes", () => {
  assert.deepEqual(checkInput({ paths: "a.md" }), { paths: ["a.md"], severity: "warning", limit: 50 });
  assert.deepEqual(checkInput({ paths: ["`t//skills/a`", 7, " "], severity: "hint", limit: 999 }), {
    paths: ["t//skills/a"],
    severity: "hint",
    limit: 200,
  });
  assert.deepEqual(checkInput(undefined), { severity: "warning", limit: 50 });
});
