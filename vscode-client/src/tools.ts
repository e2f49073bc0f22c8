/** What the editor's agents may call: searching assets and reading one. */

import * as vscode from "vscode";
import { assetForModel, hitsForModel } from "./asset-page.js";
import { messageOf, suggestionsOf, type Ask, type SearchResult, type Shown } from "./protocol.js";
import { searchInput, showInput } from "./tool-inputs.js";

/** Registers the tools; nothing where the host has none (editors that are built from VS Code). */
export function registerTools(ask: Ask): vscode.Disposable[] {
  const { lm } = vscode as Partial<typeof vscode>;
  if (typeof lm?.registerTool !== "function") {
    return [];
  }
  return [
    lm.registerTool<unknown>("akm_search", {
      prepareInvocation: ({ input }) => ({
        invocationMessage: `Searching AKM assets for “${searchInput(input).query}”`,
      }),
      invoke: async ({ input }, token) => {
        const asked = searchInput(input);
        const result = await cancellable(token, (signal) =>
          ask<SearchResult>("akm/search", asked, signal),
        );
        return text(hitsForModel(asked.query, result));
      },
    }),
    lm.registerTool<unknown>("akm_show", {
      prepareInvocation: ({ input }) => ({ invocationMessage: `Reading ${showInput(input).ref}` }),
      invoke: async ({ input }, token) => {
        const asked = showInput(input);
        try {
          return text(assetForModel(await cancellable(token, (signal) => ask<Shown>("akm/show", asked, signal))));
        } catch (error) {
          const near = suggestionsOf(error);
          // A model that is told what to try instead goes on; an error would end its turn.
          return text(
            `${messageOf(error)}\n${near.length > 0 ? `Try: ${near.join(" ")}\n` : "Search with akm_search.\n"}`,
          );
        }
      },
    }),
  ];
}

function text(value: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(value)]);
}

async function cancellable<T>(
  token: vscode.CancellationToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const listener = token.onCancellationRequested(() => {
    controller.abort();
  });
  try {
    return await work(controller.signal);
  } finally {
    listener.dispose();
  }
}
