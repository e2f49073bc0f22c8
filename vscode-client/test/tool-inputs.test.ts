import assert from "node:assert/strict";
import { it } from "node:test";
import { searchInput, showInput } from "../src/tool-inputs.js";

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
