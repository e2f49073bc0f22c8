/** *AKM: Show Graph*: the assets and their citations as a picture that follows the active file. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { FromPage, Graph, ToPage } from "../webview/model.js";
import { graphPage } from "./graph-page.js";
import { openAsset, toRange } from "./opening.js";
import { messageOf, type Citation } from "./protocol.js";
import type { Server } from "./server.js";

const TYPE = "akm.graph";
const SETTLE_MS = 300;

export class GraphView implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** The page has loaded and listens. */
  private ready = false;
  private graph: Graph | undefined;
  private byUri = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private asking: AbortController | undefined;
  private editorColumn: vscode.ViewColumn | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly extensionUri: vscode.Uri,
  ) {
    this.noteColumn(vscode.window.activeTextEditor);
    this.subscriptions = [
      vscode.window.registerWebviewPanelSerializer(TYPE, this),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.noteColumn(editor);
        // Undefined when the graph itself has the focus: it keeps what it shows.
        if (editor !== undefined) {
          this.tell({ kind: "active", ref: this.activeRef() });
        }
      }),
      server.onIndexed(() => {
        this.later();
      }),
      server.onHealth((health) => {
        if (health.kind === "running" && health.percentage === undefined) {
          this.later();
        }
      }),
    ];
  }

  show(): void {
    if (this.panel !== undefined) {
      this.panel.reveal(undefined, true);
      return;
    }
    this.adopt(
      vscode.window.createWebviewPanel(
        TYPE,
        "AKM Graph",
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        this.options(),
      ),
    );
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    panel.webview.options = this.options();
    this.adopt(panel);
    return Promise.resolve();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asking?.abort();
    this.panel?.dispose();
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private options(): vscode.WebviewOptions {
    return { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(this.extensionUri, "out")] };
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel?.dispose();
    this.panel = panel;
    this.ready = false;
    panel.iconPath = vscode.Uri.joinPath(this.extensionUri, "images", "graph.svg");
    panel.onDidDispose(() => {
      if (this.panel === panel) {
        this.panel = undefined;
        this.graph = undefined;
        this.asking?.abort();
      }
    });
    panel.onDidChangeViewState(() => {
      if (panel.visible && this.graph === undefined) {
        this.later();
      }
    });
    panel.webview.onDidReceiveMessage((message: FromPage) => {
      if (message.kind === "ready") {
        this.ready = true;
        void this.update();
      } else {
        void this.open(message.ref);
      }
    });
    panel.webview.html = graphPage({
      nonce: randomBytes(16).toString("base64url"),
      script: panel.webview.asWebviewUri(vscode.Uri.joinPath(this.extensionUri, "out", "graph.js")).toString(),
      source: panel.webview.cspSource,
    });
  }

  private noteColumn(editor: vscode.TextEditor | undefined): void {
    this.editorColumn = editor?.viewColumn ?? this.editorColumn;
  }

  private activeRef(): string | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    return uri === undefined ? undefined : this.byUri.get(uri);
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.update(), SETTLE_MS);
  }

  private async update(): Promise<void> {
    this.asking?.abort();
    if (this.panel === undefined || !this.ready) {
      return;
    }
    if (!this.panel.visible) {
      // Asked for again when somebody looks.
      this.graph = undefined;
      return;
    }
    const asking = new AbortController();
    this.asking = asking;
    try {
      const graph = await this.server.ask<Graph>("akm/graph", {}, asking.signal);
      if (!asking.signal.aborted) {
        this.graph = graph;
        this.byUri = new Map(
          graph.nodes.flatMap(({ uri, ref }) =>
            uri === undefined ? [] : [[vscode.Uri.parse(uri, true).toString(), ref] as const],
          ),
        );
        this.tell({ kind: "graph", graph, active: this.activeRef() });
      }
    } catch (error) {
      if (!asking.signal.aborted) {
        this.tell({ kind: "failed", message: messageOf(error) });
      }
    }
  }

  private tell(message: ToPage): void {
    if (this.ready) {
      void this.panel?.webview.postMessage(message);
    }
  }

  /** Opens a node's file beside the graph; of what is missing, where it is cited. */
  private async open(ref: string): Promise<void> {
    const node = this.graph?.nodes.find((each) => each.ref === ref);
    if (node?.uri !== undefined) {
      await this.openBeside(node.uri);
      return;
    }
    try {
      const [first] = await this.server.ask<Citation[]>("akm/references", { ref });
      if (first !== undefined) {
        await this.openBeside(first.uri, toRange(first.range));
      }
    } catch (error) {
      void vscode.window.showWarningMessage(`AKM: ${messageOf(error)}`);
    }
  }

  private async openBeside(uri: string, selection?: vscode.Range): Promise<void> {
    const columns = vscode.window.tabGroups.all.map((group) => group.viewColumn);
    const own = this.panel?.viewColumn;
    const column =
      this.editorColumn !== undefined && this.editorColumn !== own && columns.includes(this.editorColumn)
        ? this.editorColumn
        : (columns.find((each) => each !== own) ?? vscode.ViewColumn.Beside);
    try {
      await vscode.window.showTextDocument(vscode.Uri.parse(uri, true), {
        viewColumn: column,
        ...(selection === undefined ? {} : { selection }),
      });
    } catch {
      // No text: VS Code's own way of showing the file.
      await openAsset(uri);
    }
  }
}
