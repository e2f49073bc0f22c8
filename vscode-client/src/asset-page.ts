/** An asset as a Markdown page to read, and as text for a language model. */

import { oneLine } from "./hits.js";
import type { Range, SearchResult, Shown } from "./protocol.js";
import { count } from "./status.js";

/** The page of *AKM: Show Asset*. */
export function assetPage(shown: Shown): string {
  const title = shown.title ?? shown.name;
  const lines = [`# ${oneLine(title)}`, "", `\`${shown.ref}${shown.fragment === undefined ? "" : `#${shown.fragment}`}\` · ${shown.type}`];
  if (shown.description) {
    lines.push("", `> ${oneLine(shown.description, 1000)}`);
  }
  if (shown.whenToUse) {
    lines.push("", `**When to use:** ${oneLine(shown.whenToUse, 1000)}`);
  }
  const superseded = [shown.supersededBy ?? []].flat();
  if (superseded.length > 0) {
    lines.push("", `**Superseded by** ${superseded.map((ref) => `\`${ref}\``).join(", ")}`);
  }
  const body = bodyOf(shown);
  if (body !== "") {
    lines.push("", "---", "", body);
  }
  const cited = shown.citedBy;
  if (cited !== undefined && cited.total > 0) {
    const more = cited.total - cited.refs.length;
    lines.push("", "---", "", "**Cited by**", "", ...cited.refs.map((ref) => `- \`${ref}\``));
    if (more > 0) {
      lines.push(`- and ${String(more)} more`);
    }
  }
  lines.push(...(shown.warnings ?? []).flatMap((warning) => ["", `⚠ ${oneLine(warning, 500)}`]));
  return `${lines.join("\n")}\n`;
}

/** What an asset says; for an env file the names of its keys, for a secret nothing. */
function bodyOf(shown: Shown): string {
  if (shown.type === "secret") {
    return "A secret: its content is not read.";
  }
  if (shown.keys !== undefined) {
    return ["Keys:", "", ...shown.keys.map((key) => `- \`${key}\``)].join("\n");
  }
  if (shown.run !== undefined) {
    const steps = [
      ["Setup", shown.setup],
      ["Run", shown.run],
      ["Directory", shown.cwd],
    ].filter((step): step is [string, string] => step[1] !== undefined);
    const how = steps.map(([name, value]) => `${name}: \`${oneLine(value, 500)}\``).join("\n\n");
    return [how, shown.content ?? ""].filter(Boolean).join("\n\n");
  }
  return (shown.content ?? shown.template ?? shown.prompt ?? "").trim();
}

/** An asset for a model: a short head with its ref, then its text. */
export function assetForModel(shown: Shown): string {
  const head = [
    `ref: ${shown.ref}${shown.fragment === undefined ? "" : `#${shown.fragment}`}`,
    `type: ${shown.type}`,
    ...(shown.description ? [`description: ${oneLine(shown.description, 1000)}`] : []),
    ...(shown.path === undefined ? [] : [`path: ${shown.path}`]),
    ...(shown.beliefState ? [`belief: ${shown.beliefState}`] : []),
    ...[shown.supersededBy ?? []].flat().map((ref) => `superseded by: ${ref}`),
    ...(shown.fragment === undefined && (shown.fragments?.length ?? 0) > 1
      ? [`sections: ${(shown.fragments ?? []).map((each) => `#${each.slug}`).join(" ")}`]
      : []),
    ...(shown.xrefs?.length ? [`cites: ${shown.xrefs.join(" ")}`] : []),
    ...(shown.warnings ?? []).map((warning) => `warning: ${oneLine(warning, 300)}`),
  ];
  return `${head.join("\n")}\n\n${bodyOf(shown)}\n`;
}

/** Hits for a model: ref, type, what it is, the passage that matched, and how to go on. */
export function hitsForModel(query: string, result: SearchResult): string {
  if (result.hits.length === 0) {
    return `Nothing was found for “${oneLine(query)}”.${result.tip ? ` ${result.tip}` : ""}\n`;
  }
  const lines = [`${String(result.hits.length)} of ${count(result.total, "asset")} for “${oneLine(query)}”:`];
  for (const hit of result.hits) {
    const facts = [hit.type, hit.beliefState, hit.quality === "proposed" ? "proposed" : undefined];
    lines.push("", `- ${hit.ref} (${facts.filter((fact) => fact != null && fact !== "").join(", ")})`);
    if (hit.description) {
      lines.push(`  ${oneLine(hit.description, 300)}`);
    }
    // The reader of an env file is the server's; no passage of one is handed on from here.
    if (hit.citation?.text && hit.type !== "env" && hit.type !== "secret") {
      lines.push(`  > ${oneLine(hit.citation.text, 300)}`);
    }
  }
  lines.push("", "Read one with akm_show and its ref; cite refs, not paths.");
  return `${lines.join("\n")}\n`;
}

/** The ref to copy with the cursor in line `line`: that of a heading of level 2 on, or the asset's. */
export function refAt(shown: Shown, line: number): string {
  const heading = (shown.fragments ?? []).find(
    (each) => each.level > 1 && holds(each.range, line),
  );
  return heading === undefined ? shown.ref : `${shown.ref}#${heading.slug}`;
}

function holds(range: Range, line: number): boolean {
  const last = range.end.character === 0 ? Math.max(range.end.line - 1, range.start.line) : range.end.line;
  return range.start.line <= line && line <= last;
}
