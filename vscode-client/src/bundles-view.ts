/** The view *Bundles*: bundles, types, assets, with badges for findings. */

import * as path from "node:path";
import * as vscode from "vscode";
import {
  assetNodes,
  bundleNodes,
  countFindings,
  findingsText,
  typeNodes,
  type Findings,
  type TreeNode,
} from "./bundle-tree.js";
import { iconOf } from "./hits.js";
import { messageOf } from "./protocol.js";
import type { Server } from "./server.js";

const REFRESH_DELAY_MS = 300;

export class BundlesView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  private readonly change = new vscode.EventEmitter<TreeNode | undefined>();
  private readonly view: vscode.TreeView<TreeNode>;
  private readonly subscriptions: { dispose(): unknown }[];
  /** How many pages of a type are listed, by bundle and type. */
  private readonly pages = new Map<string, number>();
  /** Answers of the server until it tells of changes: findings come with every keystroke. */
  private known = new Map<string, Promise<TreeNode[]>>();
  private counts = "";
  private timer: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.change.event;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("akm.bundles", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.change,
      this.view,
      server.onIndexed((indexed) => {
        if (indexed.added + indexed.removed + indexed.changed > 0) {
          this.forget();
        }
      }),
      server.onHealth((health) => {
        if (health.kind !== "running" || health.percentage === undefined) {
          this.forget();
        }
      }),
      vscode.languages.onDidChangeDiagnostics(() => {
        this.showBadge();
      }),
    ];
    this.showBadge();
  }

  /** Lists more assets of the type that a node stands for. */
  more(node: TreeNode | undefined): void {
    if (node?.kind === "more") {
      const key = `${node.of.bundle}//${node.of.type}`;
      this.pages.set(key, (this.pages.get(key) ?? 1) + 1);
      this.known.delete(keyOf(node.of));
      this.change.fire(node.of);
    }
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (this.server.running === undefined) {
      return [];
    }
    const key = keyOf(node);
    const nodes = this.known.get(key) ?? this.children(node);
    this.known.set(key, nodes);
    try {
      return await nodes;
    } catch (error) {
      this.known.delete(key);
      this.view.message = messageOf(error);
      return [];
    }
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    switch (node.kind) {
      case "bundle": {
        const item = new vscode.TreeItem(node.id, vscode.TreeItemCollapsibleState.Collapsed);
        const found = findingsText(countFindings(akmFindings(), node.root, path.sep));
        item.id = `bundle:${node.id}`;
        item.iconPath = new vscode.ThemeIcon("library");
        item.description = [String(node.entries), ...node.facts, found].filter(Boolean).join(" · ");
        item.tooltip = node.root;
        item.contextValue = "bundle";
        return item;
      }
      case "type": {
        const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Collapsed);
        item.id = `type:${node.bundle}//${node.type}`;
        item.iconPath = new vscode.ThemeIcon(iconOf(node.type));
        item.description = String(node.total);
        return item;
      }
      case "asset": {
        const item = new vscode.TreeItem(node.name);
        item.id = `asset:${node.ref}`;
        item.tooltip = node.ref;
        item.contextValue = "asset";
        if (node.uri !== undefined) {
          const uri = vscode.Uri.parse(node.uri, true);
          // VS Code colours it and adds the number of findings, as in the explorer.
          item.resourceUri = uri;
          item.iconPath = new vscode.ThemeIcon(iconOf(node.type));
          item.command = { command: "vscode.open", title: "Open", arguments: [uri] };
        }
        return item;
      }
      case "more": {
        const item = new vscode.TreeItem(`${String(node.of.total - node.listed)} more…`);
        item.iconPath = new vscode.ThemeIcon("ellipsis");
        item.command = { command: "akm.listMore", title: "List More", arguments: [node] };
        return item;
      }
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private async children(node: TreeNode | undefined): Promise<TreeNode[]> {
    const { ask } = this.server;
    switch (node?.kind) {
      case undefined:
        return bundleNodes(ask);
      case "bundle":
        return typeNodes(ask, node);
      case "type":
        return assetNodes(ask, node, this.pages.get(`${node.bundle}//${node.type}`) ?? 1);
      default:
        return [];
    }
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.known = new Map();
      this.view.message = "";
      this.change.fire(undefined);
    }, REFRESH_DELAY_MS);
  }

  private showBadge(): void {
    const counts = countFindings(akmFindings());
    const tooltip = findingsText(counts);
    if (tooltip !== this.counts) {
      this.counts = tooltip;
      this.view.badge = { value: counts.errors + counts.warnings, tooltip };
      // Bundles show their share; what they hold is known.
      this.change.fire(undefined);
    }
  }
}

function keyOf(node: TreeNode | undefined): string {
  switch (node?.kind) {
    case "bundle":
      return node.id;
    case "type":
      return `${node.bundle}//${node.type}`;
    default:
      return "";
  }
}

function akmFindings(): Findings[] {
  return vscode.languages.getDiagnostics().map(([uri, diagnostics]) => ({
    path: uri.fsPath,
    severities: diagnostics.filter((each) => each.source === "akm").map((each) => each.severity),
  }));
}
