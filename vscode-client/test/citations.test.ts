import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { citationsOf } from "../src/citations.js";
import type { Ask, Range } from "../src/protocol.js";

const at = (line: number): Range => ({ start: { line, character: 0 }, end: { line, character: 5 } });
const citation = (source: string, line: number, channel: string) => ({
  uri: `file:///${source}.md`,
  range: at(line),
  channel,
  source,
  text: "x",
});

function server(answers: Record<string, unknown>): Ask {
  return <T>(method: string): Promise<T> =>
    method in answers ? Promise.resolve(answers[method] as T) : Promise.reject(new Error("no asset"));
}

describe("the citations of a file", () => {
  it("are grouped by who cites, and by what is cited, in the order of the text", async () => {
    const found = await citationsOf(
      server({
        "akm/show": { ref: "t//knowledge/a" },
        "akm/references": [citation("t//skills/r", 9, "prose"), citation("u//facts/f", 1, "xrefs"), citation("t//skills/r", 20, "prose")],
        "textDocument/documentLink": [{ range: at(7), target: "file:///b" }, { range: at(3), data: { ref: "c#d" } }, { range: at(12), target: "file:///b" }],
      }),
      "file:///a.md",
      (range) => (range.start.line === 3 ? "t//c#d" : "t//b"),
    );
    assert.deepEqual(found?.incoming.map((group) => [group.label, group.places.length]), [["skills/r", 2], ["u//facts/f", 1]]);
    assert.deepEqual(found.outgoing.map((group) => [group.label, group.places.length]), [["c#d", 1], ["b", 2]]);
    assert.equal(found.incoming[0]?.tooltip, "t//skills/r\nline 10: prose\nline 21: prose");
  });

  it("are nothing for a file that is no asset, and for links that the server does not answer", async () => {
    assert.equal(await citationsOf(server({}), "file:///a", () => ""), undefined);
    const found = await citationsOf(
      server({ "akm/show": { ref: "t//a" }, "akm/references": [], "textDocument/documentLink": null }),
      "file:///a",
      () => "",
    );
    assert.deepEqual(found, { ref: "t//a", incoming: [], outgoing: [] });
  });
});
