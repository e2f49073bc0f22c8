/** The `akm.*` settings as the server gets them: at start, on request and after a change. */

import { expandPath, type Surroundings } from "./server-command.js";

/** How a setting's text is read; anything but a path is passed on as it is. */
type Kind = "value" | "path" | "paths" | "pathOrName";

/**
 * Every setting of the server below `akm.`; the others are the client's own. A test of the server
 * compares package.json with what the server reads, one of the client compares it with this.
 */
export const SERVER_SETTINGS: Readonly<Record<string, Kind>> = {
  bundleDirs: "paths",
  dataDir: "path",
  config: "path",
  offline: "value",
  hosts: "value",
  "lint.portable": "value",
  "lint.rules": "value",
  "completion.maxItems": "value",
  "diagnostics.delay": "value",
  "semantic.mode": "value",
  "embedding.provider": "value",
  "embedding.endpoint": "value",
  "embedding.model": "value",
  "embedding.dimension": "value",
  "embedding.localModel": "pathOrName",
  "embedding.apiKey": "value",
  "embedding.apiKeyEnv": "value",
  "embedding.maxInputTokens": "value",
  "embedding.maxTokens": "value",
  "embedding.batchSize": "value",
  "embedding.timeoutMs": "value",
  "embedding.concurrency": "value",
  "embedding.contextLength": "value",
  "search.plan": "value",
  "search.fusion": "value",
  usage: "value",
  "codeLens.citations": "value",
  "codeLens.superseded": "value",
  "codeLens.tokens": "value",
  "inlayHints.titles": "value",
  "inlayHints.targets": "value",
  "diagnostics.workspace": "value",
};

/** The section `akm`, nested as the server reads it. */
export type ServerSettings = Readonly<Record<string, unknown>>;

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
  const settings: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(SERVER_SETTINGS)) {
    const steps = key.split(".");
    const last = steps.pop() ?? key;
    let section = settings;
    for (const step of steps) {
      section = (section[step] ??= {}) as Record<string, unknown>;
    }
    section[last] = asKind(read(key), kind, at);
  }
  return settings;
}

function asKind(
  value: unknown,
  kind: Kind,
  at: Pick<Surroundings, "home" | "folders" | "platform">,
): unknown {
  if (kind === "paths") {
    return Array.isArray(value) ? value.map((item: unknown) => asKind(item, "path", at)) : value;
  }
  if (kind === "value" || typeof value !== "string" || value === "") {
    return value;
  }
  // `wordllama` is the name of a model, `models/wordllama` a folder.
  return kind === "pathOrName" && !/[/\\~$]/.test(value) ? value : expandPath(value, at);
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
