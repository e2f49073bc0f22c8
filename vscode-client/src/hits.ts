/** Assets as text for lists: icons, one line of description, why a search found them. */

import type { Hit, SearchResult } from "./protocol.js";

/** Codicons by asset type; what is not named is a file. */
const ICONS: Readonly<Record<string, string>> = {
  skill: "sparkle",
  command: "terminal",
  agent: "robot",
  knowledge: "book",
  instruction: "law",
  memory: "history",
  lesson: "mortar-board",
  session: "comment-discussion",
  fact: "pinned",
  workflow: "git-merge",
  script: "file-code",
  env: "symbol-variable",
  secret: "lock",
  task: "checklist",
};

/** The asset types that akm names, as a person would look for them. */
export const ASSET_TYPES: readonly string[] = Object.keys(ICONS);

const PLURALS: Readonly<Record<string, string>> = { memory: "Memories", knowledge: "Knowledge", env: "Env files" };

export function iconOf(type: string): string {
  return ICONS[type] ?? "file";
}

/** `Skills` of `skill`. */
export function pluralOf(type: string): string {
  return PLURALS[type] ?? `${type.charAt(0).toUpperCase()}${type.slice(1)}s`;
}

/** Types whose file is not shown before somebody opens it: a secret, or values beside keys. */
export function isPrivate(type: string): boolean {
  return type === "secret" || type === "env";
}

export interface HitLine {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** A hit as an item of a quick pick. */
export function hitLine(hit: Hit, bundles: number): HitLine {
  const facts = [
    hit.type,
    bundles > 1 ? hit.bundle : undefined,
    hit.beliefState == null || hit.beliefState === "asserted" ? undefined : hit.beliefState,
    hit.quality === "proposed" ? "proposed" : undefined,
  ];
  const why = whyLine(hit);
  if (why !== "") {
    facts.push(`matched ${why}`);
  }
  return {
    label: `$(${iconOf(hit.type)}) ${hit.name}`,
    description: facts.filter((fact) => fact !== undefined).join(" · "),
    detail: oneLine(hit.description ?? ""),
  };
}

/** Whether a hit's ref can be written into a text: a name with a blank in it would be cut short there. */
export function isCitable(hit: Hit): boolean {
  return hit.citable !== false;
}

/** Why a search found a hit, in a few words; empty when it only listed it. */
export function whyLine(hit: Hit): string {
  const reasons = (hit.whyMatched ?? []).map(
    (reason) => WORDS[reason] ?? reason.replace(/^matched /, ""),
  );
  return [...new Set(reasons.filter((reason) => reason !== ""))].join(", ");
}

/** The server's terms that say little to a reader; the others are shown as they are. */
const WORDS: Readonly<Record<string, string>> = {
  "fts bm25 relevance": "text",
  "matched name tokens": "name",
  "metadata confidence boost": "",
  "skill type boost": "",
};

/** The line below the search box: how many there are, and what the server says beside. */
export function resultTitle(query: string, result: SearchResult): string {
  const shown = result.hits.length;
  if (result.total === 0) {
    return query.trim() === "" ? "AKM: no assets here" : `AKM: nothing for “${oneLine(query, 40)}”`;
  }
  const of = result.total > shown ? ` of ${result.total.toLocaleString("en-US")}` : "";
  const loose = result.stage === "or" ? ", some of the words" : "";
  return `AKM: ${String(shown)}${of} asset${result.total === 1 ? "" : "s"}${loose}`;
}

/** Text on one line, cut with an ellipsis. */
export function oneLine(text: string, most = 200): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}
