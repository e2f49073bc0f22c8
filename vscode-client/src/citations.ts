/** What cites the active asset, and what it cites. */

import { oneLine } from "./hits.js";
import type { Ask, Citation, Link, Position, Range, Shown } from "./protocol.js";

/** One place of a text. */
export interface Place {
  readonly uri: string;
  readonly range: Range;
}

/** An asset (or another file) on the other side of one or more citations. */
export interface CitationGroup {
  readonly label: string;
  readonly tooltip: string;
  /** Where the citations stand; all of them, in the order of the file. */
  readonly places: readonly (Place & { readonly note: string })[];
}

export interface OutgoingGroup extends CitationGroup {
  /** The link that leads there; a heading's is resolved when somebody follows it. */
  readonly link: Link;
}

export interface Citations {
  readonly ref: string;
  readonly incoming: readonly CitationGroup[];
  readonly outgoing: readonly OutgoingGroup[];
}

/**
 * Asks the server about the asset in `uri`; undefined when the file is none.
 *
 * @param text - reads a range of that file, for the label of a link.
 */
export async function citationsOf(
  ask: Ask,
  uri: string,
  text: (range: Range) => string,
  signal?: AbortSignal,
): Promise<Citations | undefined> {
  let shown: Shown;
  try {
    shown = await ask<Shown>("akm/show", { textDocument: { uri } }, signal);
  } catch {
    return undefined;
  }
  const [incoming, links] = await Promise.all([
    ask<Citation[]>("akm/references", { ref: shown.ref }, signal),
    ask<Link[] | null>("textDocument/documentLink", { textDocument: { uri } }, signal),
  ]);
  return {
    ref: shown.ref,
    incoming: groupIncoming(incoming, shown.ref),
    outgoing: groupOutgoing(links ?? [], uri, text, shown.ref),
  };
}

/** By citing asset, in the order of the server: bundles by priority. `ref` is the cited one. */
export function groupIncoming(citations: readonly Citation[], ref: string): CitationGroup[] {
  const own = ref.slice(0, ref.indexOf("//") + 2);
  const groups = new Map<string, (Place & { note: string })[]>();
  for (const { source, uri, range, channel } of citations) {
    const places = groups.get(source) ?? [];
    places.push({ uri, range, note: channel });
    groups.set(source, places);
  }
  return [...groups].map(([source, places]) => ({
    label: own !== "" && source.startsWith(own) ? source.slice(own.length) : source,
    tooltip: [
      source,
      ...places.map((place) => `line ${String(place.range.start.line + 1)}: ${place.note}`),
    ].join("\n"),
    places,
  }));
}

/** By what the link says, in the order of the file. `ref` is the citing asset: its bundle goes without saying. */
export function groupOutgoing(
  links: readonly Link[],
  uri: string,
  text: (range: Range) => string,
  ref = "",
): OutgoingGroup[] {
  const own = ref.slice(0, ref.indexOf("//") + 2);
  const groups = new Map<string, { link: Link; places: (Place & { note: string })[] }>();
  for (const link of [...links].sort((one, other) => compare(one.range.start, other.range.start))) {
    const label = oneLine(text(link.range), 120);
    const group = groups.get(label) ?? { link, places: [] };
    group.places.push({ uri, range: link.range, note: `line ${String(link.range.start.line + 1)}` });
    groups.set(label, group);
  }
  return [...groups].map(([label, { link, places }]) => ({
    label: own !== "" && label.startsWith(own) ? label.slice(own.length) : label,
    tooltip: [link.tooltip ?? label, ...places.map((place) => place.note)].filter(Boolean).join("\n"),
    link,
    places,
  }));
}

function compare(one: Position, other: Position): number {
  return one.line - other.line || one.character - other.character;
}
