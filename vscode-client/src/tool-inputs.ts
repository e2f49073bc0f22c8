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

export interface ContextInput {
  readonly query: string;
  readonly type?: string;
  readonly bundle?: string;
  readonly maxItems: number;
  readonly maxTokens: number;
}

export function contextInput(input: unknown): ContextInput {
  const { query, type, bundle } = searchInput(input);
  return {
    query,
    ...(type === undefined ? {} : { type }),
    ...(bundle === undefined ? {} : { bundle }),
    maxItems: within(valueOf(input, "maxItems"), 1, 50, 6),
    maxTokens: within(valueOf(input, "maxTokens"), 800, 12_000, 1_200),
  };
}

export interface CheckInput {
  readonly paths?: readonly string[];
  readonly severity: string;
  readonly limit: number;
}

const SEVERITIES = ["error", "warning", "information", "hint"];

export function checkInput(input: unknown): CheckInput {
  const value = valueOf(input, "paths");
  const given = (Array.isArray(value) ? value : [value]).filter(
    (path): path is string => typeof path === "string" && path.trim() !== "",
  );
  const paths = given.map((path) => (path.includes("//") ? bareRef(path) : path.trim()));
  const severity = stringOf(input, "severity") ?? "";
  return {
    ...(paths.length === 0 ? {} : { paths }),
    severity: SEVERITIES.includes(severity) ? severity : "warning",
    limit: within(valueOf(input, "limit"), 1, 200, 50),
  };
}

/** A ref, without the quotes, brackets or `akm.show ` that models like to leave around it. */
export function showInput(input: unknown): { readonly ref: string } {
  return { ref: bareRef(stringOf(input, "ref") ?? "") };
}

function bareRef(text: string): string {
  return text.trim().replace(/^akm\.show\s+/, "").replace(/^[`"'<[]+|[`"'>\].,]+$/g, "");
}

/** A number that no model takes too far; what is none is the default. */
function within(value: unknown, least: number, most: number, otherwise: number): number {
  const number = value === undefined || value === null || value === "" ? NaN : Number(value);
  return Number.isInteger(number) ? Math.min(Math.max(number, least), most) : otherwise;
}

function valueOf(input: unknown, key: string): unknown {
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>)[key] : undefined;
}

function stringOf(input: unknown, key: string): string | undefined {
  const value = valueOf(input, key);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
