/** The answers of the server's `akm/…` requests, as far as the extension reads them. */

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Hit {
  readonly ref: string;
  readonly bundle: string;
  readonly type: string;
  readonly name: string;
  readonly uri?: string;
  readonly range?: Range | null;
  /** False for a ref that cannot be written in a text, as with a blank in it. */
  readonly citable?: boolean;
  readonly description?: string | null;
  readonly tags?: readonly string[];
  readonly whyMatched?: readonly string[];
  readonly beliefState?: string | null;
  readonly quality?: string | null;
  readonly estimatedTokens?: number | null;
  readonly citation?: { readonly text?: string } | null;
}

export interface SearchResult {
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly mode?: string;
  readonly stage?: string;
  readonly tip?: string | null;
  readonly warnings?: readonly string[];
}

export interface Fragment {
  readonly slug: string;
  readonly title: string;
  readonly level: number;
  readonly range: Range;
}

export interface Shown {
  readonly ref: string;
  readonly bundle: string;
  readonly conceptId?: string;
  readonly type: string;
  readonly name: string;
  readonly title?: string | null;
  readonly path?: string;
  readonly uri?: string;
  readonly range?: Range | null;
  readonly description?: string | null;
  readonly whenToUse?: string | null;
  readonly tags?: readonly string[];
  readonly content?: string;
  readonly template?: string;
  readonly prompt?: string;
  readonly keys?: readonly string[];
  readonly run?: string;
  readonly setup?: string;
  readonly cwd?: string;
  readonly fragment?: string;
  readonly fragments?: readonly Fragment[];
  readonly xrefs?: readonly string[];
  readonly citedBy?: { readonly total: number; readonly refs: readonly string[] };
  readonly beliefState?: string | null;
  readonly supersededBy?: string | readonly string[] | null;
  readonly estimatedTokens?: number | null;
  readonly warnings?: readonly string[];
}

export interface Citation {
  readonly uri: string;
  readonly range: Range;
  /** Where in the document: `prose`, `xrefs`, … */
  readonly channel: string;
  /** The citing asset's ref, or the path of a file that is no asset. */
  readonly source: string;
  readonly text: string;
}

/** `textDocument/documentLink`; a link to a heading has no target before it is resolved. */
export interface Link {
  readonly range: Range;
  readonly target?: string;
  readonly tooltip?: string;
  readonly data?: unknown;
}

/** A directory below that of a type; why an asset may belong there. */
export interface NewPlace {
  readonly directory: string;
  readonly why: string;
}

/** `akm/newAsset`: the more is asked with, the more is answered. */
export interface Begun {
  readonly bundles: readonly { readonly id: string; readonly root: string; readonly types: readonly string[] }[];
  readonly places?: readonly NewPlace[];
  readonly file?: {
    readonly ref: string;
    /** Below the bundle's root. */
    readonly path: string;
    readonly uri: string;
    readonly text: string;
    /** The text with its places to fill in. */
    readonly snippet: string;
  };
}

/** `akm/didIndex`. */
export interface Indexed {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly entries: number;
}

/** What a failed `akm/show` carries beside its message. */
export function suggestionsOf(error: unknown): string[] {
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : undefined;
  const suggestions =
    typeof data === "object" && data !== null && "suggestions" in data ? data.suggestions : undefined;
  return Array.isArray(suggestions)
    ? suggestions.filter((each): each is string => typeof each === "string")
    : [];
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The asks of a server; what the features need and tests can give. */
export type Ask = <T>(method: string, params: object, signal?: AbortSignal) => Promise<T>;
