/** The view *Citations*: who cites the active asset, and what it cites. */

import * as vscode from "vscode";
import {
  citationsOf,
  type CitationGroup,
  type Citations,
  type OutgoingGroup,
  type Place,
} from "./citations.js";
import { openAsset, toRange } from "./opening.js";
import type { Link } from "./protocol.js";
import type { Server } from "./server.js";

type Node =
  | { readonly kind: "incoming"; readonly groups: readonly CitationGroup[] }
  | { readonly kind: "outgoing"; readonly groups: readonly OutgoingGroup[] }
  | { readonly kind: "group"; readonly group: CitationGroup | OutgoingGroup }
  | { readonly kind: "place"; readonly place: Place & { readonly note: string } };

const SETTLE_MS = 250;

export class CitationsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly change = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: { dispose(): unknown }[];
  private citations: Citations | undefined;
  /** The file that they are of. */
  private of: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private asking: AbortController | undefined;
  readonly onDidChangeTreeData = this.change.event;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("akm.citations", { treeDataProvider: this });
    const later = (): void => {
      this.later();
    };
    this.subscriptions = [
      this.change,
      this.view,
      vscode.window.onDidChangeActiveTextEditor(later),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === vscode.window.activeTextEditor?.document) {
          this.later();
        }
      }),
      server.onIndexed(later),
      server.onHealth(later),
      this.view.onDidChangeVisibility(later),
    ];
  }

  getChildren(node?: Node): Node[] {
    switch (node?.kind) {
      case undefined:
        return this.citations === undefined
          ? []
          : [
              { kind: "incoming", groups: this.citations.incoming },
              { kind: "outgoing", groups: this.citations.outgoing },
            ];
      case "incoming":
      case "outgoing":
        return node.groups.map((group) => ({ kind: "group", group }));
      case "group":
        return node.group.places.length > 1
          ? node.group.places.map((place) => ({ kind: "place", place }))
          : [];
      case "place":
        return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    if (node.kind === "group") {
      const { group } = node;
      const item = new vscode.TreeItem(group.label, group.places.length > 1 ? Collapsed : None);
      item.description = group.places.length > 1 ? String(group.places.length) : (group.places[0]?.note ?? "");
      item.tooltip = group.tooltip;
      item.iconPath = new vscode.ThemeIcon("link" in group ? "arrow-right" : "arrow-left");
      item.command = { command: "akm.openCitation", title: "Open", arguments: [group] };
      return item;
    }
    if (node.kind === "place") {
      const item = new vscode.TreeItem(`line ${String(node.place.range.start.line + 1)}`);
      item.description = node.place.note.startsWith("line ") ? "" : node.place.note;
      item.command = {
        command: "vscode.open",
        title: "Open",
        arguments: [vscode.Uri.parse(node.place.uri, true), { selection: toRange(node.place.range) }],
      };
      return item;
    }
    const label = node.kind === "incoming" ? "Cited by" : "Cites";
    const item = new vscode.TreeItem(label, node.groups.length > 0 ? Expanded : None);
    item.id = node.kind;
    item.description = node.groups.length > 0 ? String(node.groups.length) : "nothing";
    return item;
  }

  /** Goes to the other side: where an incoming citation stands, or what an outgoing one names. */
  async open(group: CitationGroup | OutgoingGroup | undefined): Promise<void> {
    if (group === undefined) {
      return;
    }
    if (!("link" in group)) {
      const place = group.places[0];
      await openAsset(place?.uri, place?.range);
      return;
    }
    const link =
      group.link.target === undefined
        ? await this.server.ask<Link>("documentLink/resolve", group.link)
        : group.link;
    if (link.target !== undefined) {
      await vscode.commands.executeCommand("vscode.open", vscode.Uri.parse(link.target, true));
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asking?.abort();
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private besides(): vscode.TextEditor | undefined {
    const visible = vscode.window.visibleTextEditors.filter(({ document }) => document.uri.scheme === "file");
    return visible.find(({ document }) => document.uri.toString() === this.of) ?? visible[0];
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.update(), SETTLE_MS);
  }

  private async update(): Promise<void> {
    this.asking?.abort();
    if (!this.view.visible) {
      return;
    }
    const asking = new AbortController();
    this.asking = asking;
    // With the focus in the graph or a preview there is no active editor: the one beside it counts.
    const document = (vscode.window.activeTextEditor ?? this.besides())?.document;
    let citations: Citations | undefined;
    if (document?.uri.scheme === "file" && this.server.running !== undefined) {
      try {
        citations = await citationsOf(
          this.server.ask,
          document.uri.toString(),
          (range) => document.getText(toRange(range)),
          asking.signal,
        );
      } catch {
        citations = undefined;
      }
    }
    if (!asking.signal.aborted) {
      this.of = document?.uri.toString();
      this.citations = citations;
      this.view.description = citations?.ref.replace(/^.*\/\//, "") ?? "";
      this.change.fire(undefined);
    }
  }
}
