import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assetNodes, bundleNodes, countFindings, findingsText, PAGE, typeNodes, type TypeNode } from "../src/bundle-tree.js";
import type { Ask } from "../src/protocol.js";

/** A server with one bundle of these assets, `name → type`. */
function server(assets: Record<string, string>, asked: object[] = []): Ask {
  const hits = Object.entries(assets).map(([name, type]) => ({
    ref: `team//${name}`,
    bundle: "team",
    type,
    name,
    uri: `file:///team/${name}.md`,
  }));
  return <T>(method: string, params: object): Promise<T> => {
    asked.push(params);
    if (method === "akm/status") {
      return Promise.resolve({ bundles: [{ id: "team", root: "/team", adapter: "okf", writable: false, entries: hits.length }] } as T);
    }
    const { type, limit, offset = 0 } = params as { type?: string; limit: number; offset?: number };
    const found = hits.filter((hit) => type === undefined || hit.type === type);
    return Promise.resolve({ hits: found.slice(offset, offset + limit), total: found.length } as T);
  };
}

const many = (number: number, type: string) =>
  Object.fromEntries(Array.from({ length: number }, (_, index) => [`${type}/${String(index)}`, type]));

async function typesOf(ask: Ask): Promise<TypeNode[]> {
  const [bundle] = await bundleNodes(ask);
  assert.ok(bundle);
  return typeNodes(ask, bundle);
}

describe("the tree", () => {
  it("costs one request until somebody opens a bundle", async () => {
    const asked: object[] = [];
    const [bundle] = await bundleNodes(server(many(5, "skill"), asked));
    assert.equal(asked.length, 1);
    assert.deepEqual([bundle?.id, bundle?.entries, bundle?.facts], ["team", 5, ["okf", "read-only"]]);
  });

  it("lists the types that there are, with their numbers", async () => {
    const types = await typesOf(server({ ...many(3, "lesson"), ...many(2, "skill") }));
    assert.deepEqual(types.map((node) => `${node.label} ${String(node.total)}`), ["Skills 2", "Lessons 3"]);
  });

  it("finds types of other tools as well", async () => {
    const types = await typesOf(server({ ...many(2, "skill"), ...many(1, "page") }));
    assert.deepEqual(types.map((node) => `${node.label} ${String(node.total)}`), ["Skills 2", "Pages 1"]);
  });

  it("lists one page of a type, then a node for the rest", async () => {
    const ask = server(many(PAGE + 7, "memory"));
    const [type] = await typesOf(ask);
    assert.ok(type);
    const first = await assetNodes(ask, type, 1);
    assert.equal(first.length, PAGE + 1);
    assert.deepEqual(first.at(-1), { kind: "more", of: type, listed: PAGE });
    assert.equal((await assetNodes(ask, type, 2)).length, PAGE + 7);
  });
});

describe("findings", () => {
  const files = [
    { path: "/team/a.md", severities: [0, 1, 3] },
    { path: "/team/b.md", severities: [1] },
    { path: "/teams/c.md", severities: [0] },
  ];

  it("count below a folder and nowhere else; hints do not count", () => {
    assert.deepEqual(countFindings(files, "/team"), { errors: 1, warnings: 2 });
    assert.deepEqual(countFindings(files), { errors: 2, warnings: 2 });
  });

  it("become a short text", () => {
    assert.equal(findingsText({ errors: 1, warnings: 2 }), "1 error, 2 warnings");
    assert.equal(findingsText({ errors: 0, warnings: 0 }), "");
  });
});
