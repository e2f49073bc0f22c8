import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { barItem, indexProgress, reindexSummary, statusLines } from "../src/status.js";

describe("the status", () => {
  it("names the server, each bundle, the index and semantic search", () => {
    const lines = statusLines(
      {
        version: "0.1.0",
        bundles: [
          { id: "team", root: "/srv/team", adapter: "akm", writable: false, configured: true, entries: 1 },
          { id: "stash", root: "/code/stash", adapter: "okf", writable: true, configured: false, entries: 20_000 },
        ],
        index: { path: "/data/akm-ls.db", entries: 20_001, builtAt: "2026-01-02T03:04:05Z", state: "ready" },
        semantic: { status: "off", reason: "no embedding model configured" },
        warnings: ["two files, one ref: a.md, A.md"],
      },
      "/usr/bin/akm-ls",
    );
    assert.deepEqual(lines, [
      "akm-ls 0.1.0: /usr/bin/akm-ls",
      "Bundle team (akm, 1 asset, read-only): /srv/team",
      "Bundle stash (okf, 20,000 assets, not in akm's configuration): /code/stash",
      "Index ready, 20,001 assets, built 2026-01-02T03:04:05Z: /data/akm-ls.db",
      "Semantic search: off (no embedding model configured)",
      "Warning: two files, one ref: a.md, A.md",
    ]);
  });

  it("says so when there is no bundle", () => {
    assert.match(statusLines({ bundles: [] }, "akm-ls").join("\n"), /No bundle was found/);
  });

  it("bears a server that answers less", () => {
    assert.doesNotThrow(() => statusLines({ bundles: [{}], index: {} }, "akm-ls"));
  });
});

describe("the summary of a reindex", () => {
  it("counts what changed", () => {
    const report = { entries: 1234, added: 2, changed: 1, removed: 0, seconds: 0.42 };
    assert.equal(reindexSummary(report), "Indexed 1,234 assets in 0.4 s: 2 added, 1 changed, 0 removed.");
  });

  it("says when it did not finish, or did not run", () => {
    assert.match(reindexSummary({ cancelled: true }), /cancelled/);
    assert.match(reindexSummary({ skippedLocked: true }), /Another akm-ls process/);
  });
});

describe("the status bar", () => {
  const status = {
    bundles: [{ id: "team" }],
    index: { entries: 1234, state: "ready" },
    semantic: { status: "off" },
    warnings: ["two files, one ref"],
  };

  it("shows the number of assets, and more on hover", () => {
    const item = barItem({ kind: "running", percentage: undefined }, status);
    assert.equal(item.text, "$(library) AKM: 1,234");
    assert.equal(item.tooltip, "1,234 assets in 1 bundle\nIndex: ready\nSemantic search: off\n1 warning: see AKM: Show Status");
  });

  it("shows how far indexing is", () => {
    assert.equal(barItem({ kind: "running", percentage: 41.6 }, status).text, "$(sync~spin) AKM: indexing 42 %");
    const indexing = { ...status, index: { state: "indexing" } };
    assert.equal(barItem({ kind: "running", percentage: undefined }, indexing).text, "$(sync~spin) AKM: indexing");
  });

  it("stands out when there is no server or no index", () => {
    assert.equal(barItem({ kind: "missing", problem: "not installed" }, undefined).level, "warning");
    assert.equal(barItem({ kind: "crashed", problem: "ended" }, status).level, "error");
    assert.equal(barItem({ kind: "running", percentage: undefined }, { index: { state: "unusable" } }).level, "warning");
  });

  it("takes its progress from the server's own runs only", () => {
    assert.equal(indexProgress("akm-index-1", { kind: "report", percentage: 7 }), 7);
    assert.equal(indexProgress("akm-index-1", { kind: "end" }), "done");
    assert.equal(indexProgress("akm-reindex-1", { kind: "report", percentage: 7 }), undefined);
    assert.equal(indexProgress(3, { kind: "begin" }), undefined);
  });
});
