import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hitLine, isCitable, oneLine, pluralOf, resultTitle } from "../src/hits.js";

const HIT = {
  ref: "team//skills/code-review",
  bundle: "team",
  type: "skill",
  name: "code-review",
  description: "Review a change\nbefore it is merged.",
  whyMatched: ["fts bm25 relevance", "matched name tokens", "matched aliases", "skill type boost"],
};

describe("a hit in the list", () => {
  it("shows type, description and why it matched", () => {
    assert.deepEqual(hitLine(HIT, 1), {
      label: "$(sparkle) code-review",
      description: "skill · matched text, name, aliases",
      detail: "Review a change before it is merged.",
    });
  });

  it("names its bundle when there are several, and what speaks against it", () => {
    const line = hitLine({ ...HIT, beliefState: "superseded", quality: "proposed" }, 2);
    assert.equal(line.description, "skill · team · superseded · proposed · matched text, name, aliases");
  });

  it("is for a text unless the server says that no text can hold its ref", () => {
    assert.equal(isCitable(HIT), true);
    assert.equal(isCitable({ ...HIT, ref: "team//agents/My Agent", citable: false }), false);
  });

  it("bears an answer that says less, and a type of another tool", () => {
    assert.deepEqual(hitLine({ ref: "a//b", bundle: "a", type: "page", name: "b" }, 1), {
      label: "$(file) b",
      description: "page",
      detail: "",
    });
  });
});

describe("the title of the list", () => {
  it("counts the hits", () => {
    assert.equal(resultTitle("x", { hits: [HIT], total: 1234, stage: "and" }), "AKM: 1 of 1,234 assets");
    assert.equal(resultTitle("x y", { hits: [HIT], total: 1, stage: "or" }), "AKM: 1 asset, some of the words");
  });

  it("says when there is nothing", () => {
    assert.equal(resultTitle("gone", { hits: [], total: 0 }), "AKM: nothing for “gone”");
    assert.equal(resultTitle(" ", { hits: [], total: 0 }), "AKM: no assets here");
  });
});

it("types have a plural that people read", () => {
  assert.deepEqual(["skill", "memory", "env", "page"].map(pluralOf), ["Skills", "Memories", "Env files", "Pages"]);
});

it("long text is cut with an ellipsis that counts", () => {
  assert.equal(oneLine("abc  def\n ghi", 8), "abc def…");
  assert.equal(oneLine("abc", 3), "abc");
});
