/** What the graph shows: nodes and edges by name, which of them match, who is next to whom. */

export interface GraphNode {
  readonly ref: string;
  /** An asset type, or `missing`: cited, and not there. */
  readonly type: string;
  readonly title: string;
  readonly uri?: string;
  readonly beliefState?: string;
}

export interface GraphEdge {
  readonly source: number;
  readonly target: number;
  readonly count: number;
  readonly broken?: boolean;
}

/** The answer to `akm/graph`. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** How many nodes there are, drawn or not. */
  readonly total: number;
}

/** A message to the page. */
export type ToPage =
  | { readonly kind: "graph"; readonly graph: Graph; readonly active: string | undefined }
  | { readonly kind: "active"; readonly ref: string | undefined }
  | { readonly kind: "failed"; readonly message: string };

/** A message from the page. */
export type FromPage =
  | { readonly kind: "ready" }
  | { readonly kind: "open"; readonly ref: string };

export const NO_GRAPH: Graph = { nodes: [], edges: [], total: 0 };

export interface TypeCount {
  readonly type: string;
  readonly count: number;
}

/** Types by how many nodes they have; what is missing comes last. */
export function typesOf(graph: Graph): TypeCount[] {
  const counts = new Map<string, number>();
  for (const { type } of graph.nodes) {
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts]
    .map(([type, count]) => ({ type, count }))
    .sort(
      (one, other) =>
        Number(one.type === "missing") - Number(other.type === "missing") ||
        other.count - one.count ||
        one.type.localeCompare(other.type),
    );
}

/** The nodes whose ref, title or type holds every word; the best first: names that begin so. */
export function matching(graph: Graph, filter: string, hidden: ReadonlySet<string>): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found: { node: number; rank: number }[] = [];
  graph.nodes.forEach(({ ref, title, type }, node) => {
    const text = `${ref} ${title} ${type}`.toLowerCase();
    if (hidden.has(type) || !words.every((word) => text.includes(word))) {
      return;
    }
    const name = ref.slice(ref.lastIndexOf("/") + 1).toLowerCase();
    const first = words[0] ?? "";
    const rank = name.startsWith(first) ? 0 : name.includes(first) ? 1 : 2;
    found.push({ node, rank });
  });
  return found
    .sort((one, other) => one.rank - other.rank || one.node - other.node)
    .map(({ node }) => node);
}

/** Who cites and is cited by each node. */
export class Neighbours {
  private readonly out = new Map<number, number[]>();
  private readonly in = new Map<number, number[]>();

  constructor(graph: Graph) {
    for (const { source, target } of graph.edges) {
      append(this.out, source, target);
      append(this.in, target, source);
    }
  }

  cites(node: number): readonly number[] {
    return this.out.get(node) ?? [];
  }

  citedBy(node: number): readonly number[] {
    return this.in.get(node) ?? [];
  }

  degree(node: number): number {
    return this.cites(node).length + this.citedBy(node).length;
  }

  around(node: number): Set<number> {
    return new Set([node, ...this.cites(node), ...this.citedBy(node)]);
  }
}

function append(map: Map<number, number[]>, key: number, value: number): void {
  const values = map.get(key);
  if (values === undefined) {
    map.set(key, [value]);
  } else {
    values.push(value);
  }
}

/** One line on the whole, for the status and for screen readers. */
export function summary(graph: Graph): string {
  const missing = graph.nodes.filter(({ type }) => type === "missing").length;
  const broken = graph.edges.filter((edge) => edge.broken === true).length;
  const assets = graph.nodes.length - missing;
  const more = graph.total > graph.nodes.length ? ` (of ${graph.total.toLocaleString("en-US")})` : "";
  const parts = [
    `${counted(assets, "asset")}${more}`,
    counted(graph.edges.length, "citation"),
    ...(broken > 0 ? [`${String(broken)} broken`] : []),
  ];
  return parts.join(" · ");
}

function counted(number: number, noun: string): string {
  return `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A ref without its bundle: `knowledge/auth/tokens`. */
export function shortRef(ref: string): string {
  return ref.slice(ref.indexOf("//") + 2);
}

/** What a label says: the title where it is short, else the name. */
export function labelOf(node: GraphNode): string {
  const name = node.ref.slice(node.ref.lastIndexOf("/") + 1);
  const label = node.title.length <= 28 ? node.title : name;
  return label.length <= 32 ? label : `${label.slice(0, 31)}…`;
}
