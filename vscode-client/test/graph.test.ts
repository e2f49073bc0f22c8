import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graphPage } from "../src/graph-page.js";
import { Layout } from "../webview/layout.js";
import { labelOf, matching, Neighbours, shortRef, summary, typesOf, type Graph } from "../webview/model.js";

const GRAPH: Graph = {
  nodes: [
    { ref: "team//skills/release", type: "skill", title: "Release the product", uri: "file:///r" },
    { ref: "team//knowledge/auth/tokens", type: "knowledge", title: "Token rotation", uri: "file:///t" },
    { ref: "team//knowledge/gone", type: "missing", title: "gone" },
    { ref: "team//memories/release-note", type: "memory", title: "A note", uri: "file:///n" },
  ],
  edges: [
    { source: 0, target: 1, count: 2 },
    { source: 0, target: 2, count: 1, broken: true },
    { source: 3, target: 1, count: 1 },
  ],
  total: 4,
};

function settle(layout: Layout): void {
  for (let step = 0; step < 2000 && !layout.settled; step++) {
    layout.step();
  }
}

function distance(layout: Layout, one: number, other: number): number {
  return Math.hypot(
    (layout.x[one] ?? NaN) - (layout.x[other] ?? NaN),
    (layout.y[one] ?? NaN) - (layout.y[other] ?? NaN),
  );
}

describe("the layout", () => {
  it("puts what cites each other nearer than what does not", () => {
    // Two pairs.
    const layout = new Layout(4, [0, 2], [1, 3]);
    settle(layout);
    assert.ok(layout.settled);
    assert.ok(distance(layout, 0, 1) < distance(layout, 0, 2));
    assert.ok(distance(layout, 2, 3) < distance(layout, 1, 3));
  });

  it("keeps nodes apart, also those that start on one spot", () => {
    const layout = new Layout(40, [], []);
    for (let node = 0; node < 40; node++) {
      layout.put(node, 5, 5);
    }
    settle(layout);
    for (let one = 0; one < 40; one++) {
      for (let other = 0; other < one; other++) {
        assert.ok(distance(layout, one, other) > 3, `${String(one)} ${String(other)}`);
      }
    }
  });

  it("is the same each time and holds what a hand holds", () => {
    const layouts = [0, 1].map(() => {
      const layout = new Layout(30, [0, 1, 2, 3], [4, 4, 4, 4]);
      layout.held = 4;
      layout.put(4, 100, 50);
      settle(layout);
      return layout;
    });
    assert.deepEqual(layouts[0]?.x, layouts[1]?.x);
    assert.deepEqual([layouts[0]?.x[4], layouts[0]?.y[4]], [100, 50]);
  });

  it("comes to rest in finite places with 2,000 nodes, and with none", () => {
    const sources = Array.from({ length: 6000 }, (_, edge) => (edge * 7919) % 2000);
    const targets = sources.map((source, edge) => (source * 31 + edge) % 97);
    const layout = new Layout(2000, sources, targets);
    settle(layout);
    assert.ok(layout.settled);
    assert.ok([...layout.x, ...layout.y].every((value) => Math.abs(value) < 1e5));
    const empty = new Layout(0, [], []);
    settle(empty);
    assert.ok(empty.settled);
  });
});

describe("the graph", () => {
  it("lists types by how many there are, what is missing last", () => {
    assert.deepEqual(
      typesOf(GRAPH).map(({ type }) => type),
      ["knowledge", "memory", "skill", "missing"],
    );
  });

  it("filters by every word in ref, title or type, names that begin so first", () => {
    assert.deepEqual(matching(GRAPH, "release", new Set()), [0, 3]);
    assert.deepEqual(matching(GRAPH, "token KNOW", new Set()), [1]);
    assert.deepEqual(matching(GRAPH, "release", new Set(["skill"])), [3]);
    assert.deepEqual(matching(GRAPH, "nowhere", new Set()), []);
  });

  it("knows who is next to whom", () => {
    const neighbours = new Neighbours(GRAPH);
    assert.deepEqual(neighbours.cites(0), [1, 2]);
    assert.deepEqual(neighbours.citedBy(1), [0, 3]);
    assert.deepEqual([...neighbours.around(3)], [3, 1]);
    assert.equal(neighbours.degree(2), 1);
  });

  it("says what it is in one line", () => {
    assert.equal(summary(GRAPH), "3 assets · 3 citations · 1 broken");
    assert.equal(summary({ ...GRAPH, total: 2600 }), "3 assets (of 2,600) · 3 citations · 1 broken");
    assert.equal(summary({ nodes: [], edges: [], total: 0 }), "0 assets · 0 citations");
  });

  it("labels with the title when it is short", () => {
    const node = { ref: "team//knowledge/auth/tokens", type: "knowledge", title: "Tokens" };
    assert.equal(labelOf(node), "Tokens");
    assert.equal(labelOf({ ...node, title: "How we rotate all the tokens of everything" }), "tokens");
    assert.equal(shortRef(node.ref), "knowledge/auth/tokens");
  });
});

describe("the page of the graph", () => {
  it("runs its own script only", () => {
    const page = graphPage({ nonce: "n0nce", script: "https://x/out/graph.js", source: "https://x" });
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? "";
    assert.match(policy, /^default-src 'none'; /);
    assert.doesNotMatch(policy, /unsafe/);
    const scripts = [...page.matchAll(/<script([^>]*)>([^<]*)/g)];
    assert.deepEqual(scripts.map((script) => script[1]), [' nonce="n0nce" src="https://x/out/graph.js"']);
    // No attribute that the policy would refuse.
    assert.doesNotMatch(page, / style="| on[a-z]+="/);
  });
});
