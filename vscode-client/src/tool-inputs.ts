/** What a language model hands to a tool, read with tolerance: models slip. */

export interface SearchInput {
  readonly query: string;
  readonly type?: string;
  readonly bundle?: string;
  readonly limit: number;
}

const DEFAULT_LIMIT = 8;
const MOST = 30;

export function searchInput(input: unknown): SearchInput {
  const query = stringOf(input, "query") ?? "";
  const type = stringOf(input, "type");
  const bundle = stringOf(input, "bundle");
  const limit = Number(valueOf(input, "limit"));
  return {
    query,
    ...(type === undefined ? {} : { type }),
    ...(bundle === undefined ? {} : { bundle }),
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, MOST) : DEFAULT_LIMIT,
  };
}

/** A ref, without the quotes, brackets or `akm.show ` that models like to leave around it. */
export function showInput(input: unknown): { readonly ref: string } {
  const ref = (stringOf(input, "ref") ?? "").replace(/^akm\.show\s+/, "");
  return { ref: ref.replace(/^[`"'<[]+|[`"'>\].,]+$/g, "") };
}

function valueOf(input: unknown, key: string): unknown {
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>)[key] : undefined;
}

function stringOf(input: unknown, key: string): string | undefined {
  const value = valueOf(input, key);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
