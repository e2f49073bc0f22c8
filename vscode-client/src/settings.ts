/** The `akm.*` settings as the server gets them: at start, on request and after a change. */

import { expandPath, type Surroundings } from "./server-command.js";

/** The part of the settings that is the server's business; the rest is the client's. */
export interface ServerSettings {
  readonly bundleDirs: readonly string[];
  readonly dataDir: string;
  readonly config: string;
  readonly offline: boolean;
  readonly completion: { readonly maxItems: number };
  /** `delay` in milliseconds. */
  readonly diagnostics: { readonly delay: number; readonly workspace: boolean };
  readonly codeLens: {
    readonly citations: boolean;
    readonly superseded: boolean;
    readonly tokens: boolean;
  };
  readonly inlayHints: { readonly titles: boolean; readonly targets: boolean };
  readonly lint: { readonly rules: Readonly<Record<string, string>> };
}

/** Reads one value below `akm.`, e.g. `bundleDirs`. */
export type ReadSetting = (key: string) => unknown;

/**
 * Collects the settings and makes their paths absolute.
 *
 * Values are passed on as they are, even of a wrong type: the server names the key in its message,
 * and there is one place that judges settings.
 */
export function serverSettings(
  read: ReadSetting,
  at: Pick<Surroundings, "home" | "folders" | "platform">,
): ServerSettings {
  const absolute = (value: unknown): unknown =>
    typeof value === "string" && value !== "" ? expandPath(value, at) : value;
  const bundleDirs = read("bundleDirs");
  return {
    bundleDirs: Array.isArray(bundleDirs) ? bundleDirs.map(absolute) : bundleDirs,
    dataDir: absolute(read("dataDir")),
    config: absolute(read("config")),
    offline: read("offline"),
    completion: { maxItems: read("completion.maxItems") },
    diagnostics: { delay: read("diagnostics.delay"), workspace: read("diagnostics.workspace") },
    codeLens: {
      citations: read("codeLens.citations"),
      superseded: read("codeLens.superseded"),
      tokens: read("codeLens.tokens"),
    },
    inlayHints: { titles: read("inlayHints.titles"), targets: read("inlayHints.targets") },
    lint: { rules: read("lint.rules") },
  } as ServerSettings;
}

/** What one `workspace/configuration` item asks for, when it is `akm` or below it; else undefined. */
export function answerFor(section: string | undefined, settings: ServerSettings): unknown {
  if (section === "akm") {
    return settings;
  }
  if (section?.startsWith("akm.") !== true) {
    return undefined;
  }
  let value: unknown = settings;
  for (const key of section.split(".").slice(1)) {
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined;
  }
  return value;
}
