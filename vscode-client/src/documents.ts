/** Which documents the server hears about. */

import type { DocumentSelector } from "vscode-languageclient/node";

/**
 * By path, never by language id: VS Code calls a SKILL.md `skill`, an agent `chatagent`, a prompt
 * `prompt`. The server decides which of these files belong to a bundle and keeps silent on others.
 */
export const DOCUMENT_PATTERNS: readonly string[] = [
  "**/*.{md,mdc,markdown}",
  "**/{tasks,workflows}/**/*.{yml,yaml}",
  // Only the env files of bundles: the .env of an ordinary project never leaves the editor.
  "**/env/**/*.env",
];

export const DOCUMENT_SELECTOR: DocumentSelector = DOCUMENT_PATTERNS.map((pattern) => ({
  scheme: "file",
  pattern,
}));
