/** What the editor's agents may call: searching assets, reading one, gathering, and checking. */

import * as vscode from "vscode";
import { assetForModel, hitsForModel } from "./asset-page.js";
import { findingsForModel, packForModel, type Checked, type Pack } from "./for-model.js";
import { oneLine } from "./hits.js";
import { messageOf, suggestionsOf, type Ask, type SearchResult, type Shown } from "./protocol.js";
import { checkInput, contextInput, searchInput, showInput } from "./tool-inputs.js";

/** Registers the tools; nothing where the host has none (editors that are built from VS Code). */
export function registerTools(ask: Ask): vscode.Disposable[] {
  const { lm } = vscode as Partial<typeof vscode>;
  if (typeof lm?.registerTool !== "function") {
    return [];
  }
  return [
    lm.registerTool<unknown>("akm_search", {
      prepareInvocation: ({ input }) =>
        prepared(
          `Searching AKM assets for “${searchInput(input).query}”`,
          "Search AKM assets",
          `Search your bundles for “${searchInput(input).query}”? Secrets are never part of an answer.`,
        ),
      invoke: async ({ input }, token) => {
        const asked = searchInput(input);
        const result = await cancellable(token, (signal) =>
          ask<SearchResult>("akm/search", asked, signal),
        );
        return text(hitsForModel(asked.query, result));
      },
    }),
    lm.registerTool<unknown>("akm_show", {
      prepareInvocation: ({ input }) =>
        prepared(
          `Reading ${showInput(input).ref}`,
          "Read an AKM asset",
          `Read ${code(showInput(input).ref)}? Values of env files and secrets are not read.`,
        ),
      invoke: ({ input }, token) => {
        const asked = { ...showInput(input), detail: "agent" };
        return answered(async () =>
          assetForModel(await cancellable(token, (signal) => ask<Shown>("akm/show", asked, signal))),
        );
      },
    }),
    lm.registerTool<unknown>("akm_context", {
      prepareInvocation: ({ input }) =>
        prepared(
          `Gathering what the AKM library says on “${contextInput(input).query}”`,
          "Build an AKM context pack",
          `Gather what your bundles say on “${contextInput(input).query}”, in at most ` +
            `${String(contextInput(input).maxTokens)} tokens?`,
        ),
      invoke: ({ input }, token) => {
        const asked = contextInput(input);
        return answered(async () => {
          const pack = await cancellable(token, (signal) => ask<Pack>("akm/contextPack", asked, signal));
          return packForModel(asked.query, pack);
        });
      },
    }),
    lm.registerTool<unknown>("akm_check", {
      prepareInvocation: ({ input }) => {
        const { paths } = checkInput(input);
        return prepared(
          checking(paths),
          "Check AKM assets",
          `Look for faults in ${paths === undefined ? "all your bundles" : paths.map(code).join(", ")}? Nothing is changed.`,
        );
      },
      invoke: ({ input }, token) => {
        const asked = checkInput(input);
        return answered(async () =>
          findingsForModel(await cancellable(token, (signal) => ask<Checked>("akm/check", asked, signal))),
        );
      },
    }),
  ];
}

/** What the editor asks the user, and what it says while the tool runs. */
function prepared(invocationMessage: string, title: string, message: string): vscode.PreparedToolInvocation {
  const question = new vscode.MarkdownString(message);
  return { invocationMessage, confirmationMessages: { title, message: question } };
}

/** Text as inline code, whatever is in it. */
function code(value: string): string {
  return `\`${oneLine(value, 200).replaceAll("`", "'")}\``;
}

function checking(paths: readonly string[] | undefined): string {
  if (paths === undefined) {
    return "Checking all AKM assets";
  }
  return paths.length === 1 ? `Checking ${paths[0] ?? ""}` : `Checking ${String(paths.length)} files`;
}

/** An answer, or what the server says instead of one, with what to try. */
async function answered(answer: () => Promise<string>): Promise<vscode.LanguageModelToolResult> {
  try {
    return text(await answer());
  } catch (error) {
    if (error instanceof vscode.CancellationError) {
      throw error;
    }
    const near = suggestionsOf(error);
    // A model that is told what to try instead goes on; an error would end its turn.
    return text(
      `${messageOf(error)}\n${near.length > 0 ? `Try: ${near.join(" ")}\n` : "Search with akm_search.\n"}`,
    );
  }
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
