/** The answers of `akm/status` and `akm/reindex` as text for the output channel. */

/** `akm/status`, as far as it is shown. Everything is optional: an older server may say less. */
export interface Status {
  readonly version?: string;
  readonly bundles?: readonly {
    readonly id?: string;
    readonly root?: string;
    readonly adapter?: string;
    readonly writable?: boolean;
    readonly configured?: boolean;
    readonly entries?: number;
  }[];
  readonly index?: {
    readonly path?: string;
    readonly entries?: number;
    readonly builtAt?: string | null;
    readonly state?: string;
  };
  readonly semantic?: {
    readonly status?: string;
    readonly reason?: string | null;
  };
  readonly warnings?: readonly string[];
}

/** `akm/reindex`, as far as it is shown. */
export interface IndexReport {
  readonly entries?: number;
  readonly added?: number;
  readonly changed?: number;
  readonly removed?: number;
  readonly seconds?: number;
  readonly cancelled?: boolean;
  readonly skippedLocked?: boolean;
  readonly warnings?: readonly string[];
}

/** One fact a line, e.g. for an output channel. `command` is how the server was started. */
export function statusLines(status: Status, command: string): string[] {
  const lines = [`akm-ls ${status.version ?? "(version unknown)"}: ${command}`];

  const bundles = status.bundles ?? [];
  if (bundles.length === 0) {
    lines.push("No bundle was found in this workspace or in akm's configuration.");
  }
  for (const bundle of bundles) {
    const facts = [
      bundle.adapter,
      bundle.entries === undefined ? undefined : count(bundle.entries, "asset"),
      bundle.configured === false ? "not in akm's configuration" : undefined,
      bundle.writable === false ? "read-only" : undefined,
    ].filter((fact) => fact !== undefined);
    lines.push(`Bundle ${bundle.id ?? "?"} (${facts.join(", ")}): ${bundle.root ?? "?"}`);
  }

  const index = status.index ?? {};
  const built = index.builtAt == null ? "" : `, built ${index.builtAt}`;
  lines.push(
    `Index ${index.state ?? "unknown"}, ${count(index.entries ?? 0, "asset")}${built}: ${index.path ?? "?"}`,
  );
  const reason = status.semantic?.reason;
  lines.push(
    `Semantic search: ${status.semantic?.status ?? "unknown"}${reason == null || reason === "" ? "" : ` (${reason})`}`,
  );
  lines.push(...(status.warnings ?? []).map((warning) => `Warning: ${warning}`));
  return lines;
}

/** One sentence on what a reindex did. */
export function reindexSummary(report: IndexReport): string {
  if (report.cancelled === true) {
    return "Indexing was cancelled. What was indexed so far is kept.";
  }
  if (report.skippedLocked === true) {
    return "Another akm-ls process is rebuilding this index, so nothing was done.";
  }
  const changes = (["added", "changed", "removed"] as const)
    .map((what) => `${String(report[what] ?? 0)} ${what}`)
    .join(", ");
  const time = report.seconds === undefined ? "" : ` in ${report.seconds.toFixed(1)} s`;
  return `Indexed ${count(report.entries ?? 0, "asset")}${time}: ${changes}.`;
}

/** `1 file`, `2 files`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;
}

/** How the server is, as far as the status bar tells. `percentage` while it indexes. */
export type Health =
  | { readonly kind: "stopped" | "starting" }
  | { readonly kind: "running"; readonly percentage: number | undefined }
  | { readonly kind: "missing" | "crashed"; readonly problem: string };

export interface BarItem {
  readonly text: string;
  readonly tooltip: string;
  readonly level: "none" | "warning" | "error";
}

/** The status bar's item; `status` is what the server said last. */
export function barItem(health: Health, status: Status | undefined): BarItem {
  switch (health.kind) {
    case "stopped":
      return { text: "$(circle-slash) AKM", tooltip: "The server is not running.", level: "none" };
    case "starting":
      return { text: "$(sync~spin) AKM", tooltip: "The server is starting.", level: "none" };
    case "missing":
      return { text: "$(cloud-download) AKM", tooltip: health.problem, level: "warning" };
    case "crashed":
      return { text: "$(error) AKM", tooltip: health.problem, level: "error" };
    case "running":
      return runningItem(health.percentage, status);
  }
}

function runningItem(percentage: number | undefined, status: Status | undefined): BarItem {
  const entries = status?.index?.entries ?? 0;
  const state = status?.index?.state;
  const problems = status?.warnings?.length ?? 0;
  const bundles = status?.bundles?.length ?? 0;
  const facts = [
    `${count(entries, "asset")} in ${count(bundles, "bundle")}`,
    `Index: ${state ?? "unknown"}`,
    `Semantic search: ${status?.semantic?.status ?? "unknown"}`,
    ...(problems > 0 ? [`${count(problems, "warning")}: see AKM: Show Status`] : []),
  ];
  const tooltip = facts.join("\n");
  if (percentage !== undefined || state === "indexing") {
    const done = percentage === undefined ? "" : ` ${String(Math.round(percentage))} %`;
    return { text: `$(sync~spin) AKM: indexing${done}`, tooltip, level: "none" };
  }
  if (state === "unusable") {
    return { text: "$(warning) AKM: no index", tooltip, level: "warning" };
  }
  return { text: `$(library) AKM: ${entries.toLocaleString("en-US")}`, tooltip, level: "none" };
}

/**
 * What a progress message says of the index: a percentage, or that it is done; undefined for any
 * other work, which VS Code shows by itself.
 */
export function indexProgress(
  token: string | number,
  value: { readonly kind: string; readonly percentage?: number | undefined },
): number | "done" | undefined {
  // The server's own runs; what a command of the user started has a notification.
  if (typeof token !== "string" || !token.startsWith("akm-index-")) {
    return undefined;
  }
  return value.kind === "end" ? "done" : (value.percentage ?? 0);
}
