/**
 * The tree of bundles, asset types and assets, asked of the server level by level: opening the view
 * costs one request, a bundle one for each type, a type one for each page.
 */

import { ASSET_TYPES, pluralOf } from "./hits.js";
import type { Ask, Hit, SearchResult } from "./protocol.js";
import type { Status } from "./status.js";

export const PAGE = 200;
/** Pages that are read to find types which akm does not name; more assets than that are rare. */
const PAGES_FOR_OTHERS = 10;

export interface BundleNode {
  readonly kind: "bundle";
  readonly id: string;
  readonly root: string;
  readonly entries: number;
  readonly facts: readonly string[];
}

export interface TypeNode {
  readonly kind: "type";
  readonly bundle: string;
  readonly root: string;
  readonly type: string;
  readonly label: string;
  readonly total: number;
}

export interface AssetNode {
  readonly kind: "asset";
  readonly ref: string;
  readonly bundle: string;
  readonly type: string;
  readonly name: string;
  readonly uri: string | undefined;
}

/** Stands for the assets of a type that are not listed yet. */
export interface MoreNode {
  readonly kind: "more";
  readonly of: TypeNode;
  readonly listed: number;
}

export type TreeNode = BundleNode | TypeNode | AssetNode | MoreNode;

export async function bundleNodes(ask: Ask): Promise<BundleNode[]> {
  const status = await ask<Status>("akm/status", {});
  return (status.bundles ?? []).map((bundle) => ({
    kind: "bundle",
    id: bundle.id ?? "?",
    root: bundle.root ?? "",
    entries: bundle.entries ?? 0,
    facts: [
      ...(bundle.adapter === undefined || bundle.adapter === "akm" ? [] : [bundle.adapter]),
      ...(bundle.writable === false ? ["read-only"] : []),
    ],
  }));
}

/** The types that a bundle has assets of, as akm orders them. */
export async function typeNodes(ask: Ask, bundle: BundleNode): Promise<TypeNode[]> {
  const counted = await Promise.all(
    ASSET_TYPES.map(async (type): Promise<[string, number]> => {
      const page = await browse(ask, { bundle: bundle.id, type, limit: 1 });
      return [type, page.total];
    }),
  );
  const counts = new Map(counted);
  const known = counted.reduce((sum, [, count]) => sum + count, 0);
  if (known < bundle.entries) {
    await countOthers(ask, bundle.id, counts);
  }
  return [...counts]
    .filter(([, total]) => total > 0)
    .map(([type, total]) => ({
      kind: "type",
      bundle: bundle.id,
      root: bundle.root,
      type,
      label: pluralOf(type),
      total,
    }));
}

async function countOthers(ask: Ask, bundle: string, counts: Map<string, number>): Promise<void> {
  const known = new Set(counts.keys());
  for (let page = 0; page < PAGES_FOR_OTHERS; page++) {
    const { hits } = await browse(ask, { bundle, limit: PAGE, offset: page * PAGE });
    for (const { type } of hits) {
      if (!known.has(type)) {
        counts.set(type, (counts.get(type) ?? 0) + 1);
      }
    }
    if (hits.length < PAGE) {
      return;
    }
  }
}

/** The first `pages` pages of a type, and a node for the rest. */
export async function assetNodes(ask: Ask, of: TypeNode, pages: number): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for (let page = 0; page < pages; page++) {
    const { hits, total } = await browse(ask, {
      bundle: of.bundle,
      type: of.type,
      limit: PAGE,
      offset: page * PAGE,
    });
    nodes.push(...hits.map(assetNode));
    if (nodes.length >= total || hits.length === 0) {
      return nodes;
    }
  }
  return [...nodes, { kind: "more", of, listed: nodes.length }];
}

function assetNode(hit: Hit): AssetNode {
  const { ref, bundle, type, name, uri } = hit;
  return { kind: "asset", ref, bundle, type, name, uri };
}

function browse(
  ask: Ask,
  params: { bundle: string; type?: string; limit: number; offset?: number },
): Promise<SearchResult> {
  return ask("akm/search", {
    query: "",
    detail: "brief",
    mode: "lexical",
    includeProposed: true,
    ...params,
  });
}

/** A file's findings, counted by what VS Code shows: 0 is an error, 3 a hint. */
export interface Findings {
  readonly path: string;
  readonly severities: readonly number[];
}

/** Findings worth a badge (errors and warnings) below a folder; of everything without one. */
export function countFindings(
  files: readonly Findings[],
  below?: string,
  separator = "/",
): { errors: number; warnings: number } {
  const root = below === undefined || below.endsWith(separator) ? below : below + separator;
  let errors = 0;
  let warnings = 0;
  for (const file of files) {
    if (root === undefined || file.path.startsWith(root)) {
      errors += file.severities.filter((severity) => severity === 0).length;
      warnings += file.severities.filter((severity) => severity === 1).length;
    }
  }
  return { errors, warnings };
}

/** `2 errors, 1 warning`; empty without either. */
export function findingsText(counts: { errors: number; warnings: number }): string {
  const part = (number: number, noun: string): string[] =>
    number === 0 ? [] : [`${String(number)} ${noun}${number === 1 ? "" : "s"}`];
  return [...part(counts.errors, "error"), ...part(counts.warnings, "warning")].join(", ");
}
