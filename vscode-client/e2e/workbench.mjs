// A real VS Code: its server with a directory of its own, and its workbench in headless Chromium.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

const tools = JSON.parse(process.env.AKM_E2E_TOOLS ?? "{}");
if (tools.vscode === undefined) {
  throw new Error("Run this by `npm run e2e`, which finds VS Code and Chromium first.");
}
const { chromium } = createRequire(path.join(tools.playwright, "x.js"))("playwright-core");

/** Seconds to wait for one condition: machines that run other things as well are slow. */
export const PATIENCE_MS = Number(process.env.AKM_E2E_PATIENCE ?? 60) * 1000;

const started = Date.now();

export function log(text) {
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
}

/** Where an editor's own files go, with a copy of the example bundle as its workspace. */
export class Scratch {
  constructor() {
    this.root = mkdtempSync(path.join(tmpdir(), "akm-vscode-"));
    this.workspace = path.join(this.root, "example-bundle");
    cpSync(path.resolve("../docs/example-bundle"), this.workspace, { recursive: true });
    mkdirSync(path.join(this.root, "home"));
  }

  get places() {
    const place = (name) => path.join(this.root, name);
    return [
      "--user-data-dir", place("user"), "--extensions-dir", place("extensions"),
      "--server-data-dir", place("server"), "--accept-server-license-terms",
    ];
  }

  /** In a browser window the settings of scope “machine” are those of the machine that serves. */
  settings({ machine = {}, user = {} }) {
    const shared = {
      "chat.disableAIFeatures": true,
      "extensions.autoCheckUpdates": false,
      // A browser window saves by itself; what is tried here is taken back.
      "files.autoSave": "off",
      "extensions.ignoreRecommendations": true,
      "security.workspace.trust.enabled": false,
      "telemetry.telemetryLevel": "off",
      "update.mode": "none",
      "window.autoDetectColorScheme": false,
      "workbench.enableExperiments": false,
      "workbench.startupEditor": "none",
      "workbench.tips.enabled": false,
    };
    this.write("user/Machine/settings.json", machine);
    this.write("user/User/settings.json", { ...shared, ...user });
  }

  write(name, value) {
    const file = path.join(this.root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value, undefined, 2));
  }

  installExtension(vsix) {
    if (!existsSync(vsix)) {
      throw new Error(`${vsix} is not there: npm run package`);
    }
    const server = path.join(tools.vscode, "out/server-main.js");
    const done = spawnSync(tools.node, [server, "--install-extension", vsix, ...this.places], {
      encoding: "utf8", env: this.env({}),
    });
    if (done.status !== 0) {
      throw new Error(`the vsix cannot be installed: ${done.stdout}${done.stderr}`);
    }
  }

  /** Nothing of this machine's akm, and no akm-ls of the shell that runs the tests. */
  env(more) {
    const env = { ...process.env, HOME: path.join(this.root, "home"), ...more };
    const pip = path.join(homedir(), ".config/pip/pip.conf");
    if (env.PIP_CONFIG_FILE === undefined && existsSync(pip)) {
      // A machine's own way to its package index; a fresh home has none.
      env.PIP_CONFIG_FILE = pip;
    }
    for (const name of ["AKM_BUNDLE_DIR", "AKM_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "VIRTUAL_ENV", "PYTHONPATH"]) {
      delete env[name];
    }
    return env;
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** A PATH with Python, and with no akm-ls of this machine. */
export function withoutServer(searched = "") {
  return searched
    .split(path.delimiter)
    .filter((directory) => !existsSync(path.join(directory, "akm-ls")))
    .join(path.delimiter);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Starts VS Code's server; `stop` ends it with everything it started. */
export async function serve(scratch, { args = [], env = {} } = {}) {
  const port = await freePort();
  const child = spawn(
    tools.node,
    [path.join(tools.vscode, "out/server-main.js"), "--host", "127.0.0.1", "--port", String(port),
      "--without-connection-token", "--telemetry-level", "off", "--disable-workspace-trust", ...args, ...scratch.places],
    // A group of its own: its children (extension host, watchers) end with it.
    { detached: true, stdio: ["ignore", "pipe", "pipe"], env: scratch.env(env) },
  );
  let output = "";
  await new Promise((resolve, reject) => {
    const hear = (text) => {
      output += String(text);
      if (output.includes("agent listening")) {
        resolve();
      }
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => reject(new Error(`VS Code's server ended (${String(code)}): ${output}`)));
    setTimeout(() => reject(new Error(`VS Code's server does not answer: ${output}`)), PATIENCE_MS).unref();
  });
  const stop = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  return { address: `http://127.0.0.1:${String(port)}`, authority: `127.0.0.1:${String(port)}`, stop };
}

/** A browser with one page; `close` it. */
export async function browse({ width = 1280, height = 800, colorScheme = "dark" } = {}) {
  const browser = await chromium.launch({
    executablePath: tools.chromium,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
      "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    ],
  });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return { page, close: () => browser.close() };
}
