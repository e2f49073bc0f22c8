/** Opening files at the places that the server names. */

import * as vscode from "vscode";
import type { Range } from "./protocol.js";

export function toRange(range: Range): vscode.Range {
  const { start, end } = range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Opens an asset's file in an editor that stays; a file that VS Code cannot show as text, its way. */
export async function openAsset(uri: string | undefined, range?: Range | null): Promise<void> {
  if (uri === undefined) {
    void vscode.window.showWarningMessage("AKM: this asset has no file.");
    return;
  }
  const place = range == null ? undefined : toRange(range);
  await vscode.commands.executeCommand("vscode.open", vscode.Uri.parse(uri, true), {
    preview: false,
    // The start, not the passage: nothing is selected that a key would replace.
    ...(place === undefined ? {} : { selection: new vscode.Range(place.start, place.start) }),
  });
}
