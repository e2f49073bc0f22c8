/** The status bar's item, and the list that a click on it opens. */

import * as vscode from "vscode";
import type { Server } from "./server.js";
import { barItem, type Status } from "./status.js";

const REFRESH_DELAY_MS = 200;

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("akm.status", vscode.StatusBarAlignment.Right, 90);
  private readonly subscriptions: { dispose(): unknown }[];
  private status: Status | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.item.name = "AKM";
    this.item.command = "akm.showMenu";
    this.subscriptions = [
      this.item,
      server.onHealth((health) => {
        this.draw();
        if (health.kind === "running" && health.percentage === undefined) {
          this.askLater();
        }
      }),
      server.onIndexed(() => {
        this.askLater();
      }),
    ];
    this.draw();
    this.item.show();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private askLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.askNow(), REFRESH_DELAY_MS);
  }

  private async askNow(): Promise<void> {
    try {
      this.status = await this.server.ask<Status>("akm/status", {});
    } catch {
      this.status = undefined;
    }
    this.draw();
    // The end of a run is told by akm/didIndex a moment before the state says so.
    if (this.status?.index?.state === "indexing") {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.askNow(), 1000);
    }
  }

  private draw(): void {
    const { text, tooltip, level } = barItem(this.server.health, this.status);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor =
      level === "none" ? undefined : new vscode.ThemeColor(`statusBarItem.${level}Background`);
  }
}

/** What can be done about the server, as it is now. */
export async function showMenu(server: Server): Promise<void> {
  const actions =
    server.health.kind === "missing"
      ? MISSING
      : server.running === undefined
        ? [...STOPPED]
        : [...RUNNING, ...STOPPED];
  const chosen = await vscode.window.showQuickPick(actions, { title: "AKM" });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}

interface Action extends vscode.QuickPickItem {
  readonly command: string;
}

const RUNNING: readonly Action[] = [
  { label: "$(search) Search", command: "akm.searchAssets" },
  { label: "$(info) Show Status", command: "akm.showStatus" },
  { label: "$(refresh) Reindex", command: "akm.reindexBundles" },
];
const STOPPED: readonly Action[] = [
  { label: "$(debug-restart) Restart Server", command: "akm.restartServer" },
  { label: "$(output) Show Log", command: "akm.showLog" },
];
const MISSING: readonly Action[] = [
  { label: "$(cloud-download) Install Server", command: "akm.installServer" },
  ...STOPPED,
];
