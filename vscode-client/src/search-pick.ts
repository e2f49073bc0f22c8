/** *AKM: Search*: a list that searches as you type. */

import * as vscode from "vscode";
import { hitLine, isCitable, isPrivate, resultTitle } from "./hits.js";
import { openAsset, toRange } from "./opening.js";
import { messageOf, type Ask, type Hit, type SearchResult } from "./protocol.js";
import { TypeAhead } from "./type-ahead.js";

interface HitItem extends vscode.QuickPickItem {
  readonly hit?: Hit;
}

const INSERT: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("insert"),
  tooltip: "Insert Ref at the Cursor",
};
const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("copy"), tooltip: "Copy Ref" };
const PREVIEW_DELAY_MS = 150;
const LIMIT = 50;

/** Opens the list. Choosing a hit opens its file; buttons insert or copy its ref. */
export function searchAssets(ask: Ask, initial = ""): void {
  const origin = vscode.window.activeTextEditor;
  const preview = new Preview(origin);
  pickHit(ask, {
    initial,
    placeholder: "Search skills, knowledge, commands and other assets",
    buttons: origin === undefined ? [COPY] : [INSERT, COPY],
    focused: (hit) => {
      preview.show(hit);
    },
    accepted: (hit) => {
      preview.keep();
      void openAsset(hit.uri, hit.range);
    },
    button: async (hit, button) => {
      if (button === COPY) {
        await vscode.env.clipboard.writeText(hit.ref);
        vscode.window.setStatusBarMessage(`AKM: copied ${hit.ref}`, 4000);
      } else if (origin !== undefined) {
        await preview.back();
        await insertRef(origin, hit.ref);
      }
    },
    hidden: () => {
      void preview.back();
    },
  });
}

/** Lets the user choose an asset; undefined when it was dismissed. */
export function chooseAsset(ask: Ask, placeholder: string): Promise<Hit | undefined> {
  return new Promise((resolve) => {
    pickHit(ask, { initial: "", placeholder, buttons: [], accepted: resolve, hidden: () => { resolve(undefined); } });
  });
}

interface PickOptions {
  readonly initial: string;
  readonly placeholder: string;
  readonly buttons: readonly vscode.QuickInputButton[];
  readonly focused?: (hit: Hit) => void;
  readonly accepted: (hit: Hit) => void;
  readonly button?: (hit: Hit, button: vscode.QuickInputButton) => Promise<void>;
  readonly hidden: () => void;
}

function pickHit(ask: Ask, options: PickOptions): void {
  const pick = vscode.window.createQuickPick<HitItem>();
  // The server has ranked them; without this VS Code would sort by the label. Not in its types yet.
  (pick as { sortByLabel?: boolean }).sortByLabel = false;
  pick.title = "AKM: Search";
  pick.placeholder = options.placeholder;
  pick.value = options.initial;

  const typing = new TypeAhead<SearchResult>(
    (query, signal) => ask("akm/search", { query, limit: LIMIT, includeProposed: true }, signal),
    {
      busy: (is) => {
        pick.busy = is;
      },
      answered: (query, result) => {
        pick.title = resultTitle(query, result);
        const bundles = new Set(result.hits.map((hit) => hit.bundle)).size;
        pick.items = result.hits.map((hit) => ({
          ...hitLine(hit, bundles),
          hit,
          buttons: options.buttons.filter((button) => button !== INSERT || isCitable(hit)),
          // VS Code would hide what does not contain the typed letters.
          alwaysShow: true,
        }));
      },
      failed: (_query, error) => {
        pick.title = "AKM: Search";
        pick.items = [{ label: `$(error) ${messageOf(error)}`, alwaysShow: true }];
      },
    },
  );

  pick.onDidChangeValue((query) => {
    typing.type(query);
  });
  pick.onDidChangeActive(([item]) => {
    if (item?.hit !== undefined) {
      options.focused?.(item.hit);
    }
  });
  pick.onDidTriggerItemButton(async ({ item, button }) => {
    if (item.hit !== undefined) {
      pick.hide();
      await options.button?.(item.hit, button);
    }
  });
  pick.onDidAccept(() => {
    const hit = pick.selectedItems[0]?.hit;
    if (hit !== undefined) {
      options.accepted(hit);
      pick.hide();
    }
  });
  pick.onDidHide(() => {
    typing.cancel();
    options.hidden();
    pick.dispose();
  });
  typing.type(options.initial, 0);
  pick.show();
}

/** Shows hits in a preview tab while the list is open, and puts everything back afterwards. */
class Preview {
  private timer: NodeJS.Timeout | undefined;
  private shown: vscode.Uri | undefined;
  private returning: Promise<void> | undefined;
  private readonly openBefore = new Set(
    vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .map((tab) => uriOf(tab)?.toString())
      .filter((uri) => uri !== undefined),
  );

  constructor(private readonly origin: vscode.TextEditor | undefined) {}

  show(hit: Hit): void {
    clearTimeout(this.timer);
    const uri = hit.uri;
    if (uri === undefined || isPrivate(hit.type)) {
      return;
    }
    this.timer = setTimeout(() => void this.showNow(vscode.Uri.parse(uri, true), hit), PREVIEW_DELAY_MS);
  }

  /** What is shown stays. */
  keep(): void {
    clearTimeout(this.timer);
    this.returning = Promise.resolve();
  }

  /** Closes what was only looked at and returns to where the user was. */
  back(): Promise<void> {
    clearTimeout(this.timer);
    this.returning ??= this.return();
    return this.returning;
  }

  private async return(): Promise<void> {
    const shown = this.shown?.toString();
    const looked = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => tab.isPreview && uriOf(tab)?.toString() === shown && !this.openBefore.has(shown ?? ""));
    if (this.origin !== undefined && this.shown !== undefined) {
      await vscode.window.showTextDocument(this.origin.document, {
        ...(this.origin.viewColumn === undefined ? {} : { viewColumn: this.origin.viewColumn }),
        selection: this.origin.selection,
      });
    }
    await vscode.window.tabGroups.close(looked);
  }

  private async showNow(uri: vscode.Uri, hit: Hit): Promise<void> {
    try {
      this.shown = uri;
      await vscode.window.showTextDocument(uri, {
        preview: true,
        preserveFocus: true,
        ...(hit.range == null ? {} : { selection: toRange(hit.range) }),
      });
    } catch {
      // A file that is gone or binary cannot be looked at; the list stays as it is.
    }
  }
}

function uriOf(tab: vscode.Tab): vscode.Uri | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
}

/** Replaces the selections of an editor, which may have lost the focus since. */
async function insertRef(editor: vscode.TextEditor, ref: string): Promise<void> {
  const target =
    vscode.window.visibleTextEditors.find((each) => each.document === editor.document) ?? editor;
  const done = await target.edit((edit) => {
    for (const selection of editor.selections) {
      edit.replace(selection, ref);
    }
  });
  if (!done) {
    void vscode.window.showWarningMessage(`AKM: the file cannot be changed. The ref is ${ref}.`);
  }
}
