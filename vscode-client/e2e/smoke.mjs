// The packaged extension in a real VS Code, used as a person would use it, in headless Chromium.
//
//   npm run package && node e2e/smoke.mjs
//
// Needs, beside a Node that code-server runs on:
//   VSCODE   the folder lib/vscode of an installed code-server (npm i code-server)
//   CHROMIUM a Chromium (default: /usr/bin/chromium), and playwright-core (NODE_PATH or npm i --no-save)
//   AKM_LS   a server to use; without it the message's button installs the bundled one
//   SHOTS    where screenshots go (default: out/shots)
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const { chromium } = createRequire(path.resolve(process.env.PLAYWRIGHT ?? ".", "x.js"))("playwright-core");
const vscode = process.env.VSCODE ?? "node_modules/code-server/lib/vscode";
const shots = path.resolve(process.env.SHOTS ?? "out/shots");
const scratch = mkdtempSync(path.join(tmpdir(), "akm-vscode-"));
const workspace = path.join(scratch, "example-bundle");
const started = Date.now();

function log(text) {
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
}

function fail(text) {
  throw new Error(text);
}

const places = [
  "--user-data-dir",
  path.join(scratch, "user"),
  "--extensions-dir",
  path.join(scratch, "extensions"),
  "--server-data-dir",
  path.join(scratch, "server"),
  "--accept-server-license-terms",
];

function prepare() {
  mkdirSync(shots, { recursive: true });
  cpSync("../docs/example-bundle", workspace, { recursive: true });
  // In a browser window the settings of scope “machine” are those of the machine that serves.
  writeSettings("Machine", {
    "akm.server.command": process.env.AKM_LS === undefined ? [] : process.env.AKM_LS.split(" "),
    "akm.dataDir": path.join(scratch, "index"),
  });
  writeSettings("User", {
    "akm.bundleDirs": [workspace],
    "chat.disableAIFeatures": true,
    "extensions.autoCheckUpdates": false,
    "security.workspace.trust.enabled": false,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "window.autoDetectColorScheme": false,
    "workbench.colorTheme": process.env.THEME ?? "Default Dark Modern",
    "workbench.startupEditor": "none",
  });
  const server = path.join(vscode, "out/server-main.js");
  const vsix = path.resolve("akm-language-server.vsix");
  const done = spawnSync(process.execPath, [server, "--install-extension", vsix, ...places], { encoding: "utf8" });
  if (done.status !== 0) {
    fail(`the vsix cannot be installed: ${done.stdout}${done.stderr}`);
  }
  log("vsix installed");
}

function writeSettings(of, settings) {
  mkdirSync(path.join(scratch, "user", of), { recursive: true });
  writeFileSync(path.join(scratch, "user", of, "settings.json"), JSON.stringify(settings));
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function serve() {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [path.join(vscode, "out/server-main.js"), "--host", "127.0.0.1", "--port", String(port),
      "--without-connection-token", "--telemetry-level", "off", ...places],
    // A group of its own: its children (extension host, watchers) end with it.
    { detached: true, stdio: ["ignore", "pipe", "pipe"] },
  );
  await new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => String(text).includes("agent listening") && resolve());
    child.on("exit", () => reject(new Error("VS Code's server ended")));
    setTimeout(resolve, 8000);
  });
  return { port, stop: () => process.kill(-child.pid) };
}

/** Opens a file by its name in the quick open list. */
async function open(page, name) {
  await page.keyboard.press("Control+P");
  await page.locator(".quick-input-widget input").first().fill(name);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: path.basename(name) }).first().click();
  await page.locator(".tab.active", { hasText: path.basename(name) }).waitFor();
}

async function command(page, title) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").first().fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
}

async function use(page) {
  const shot = (name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

  if (process.env.AKM_LS === undefined) {
    await page.getByRole("button", { name: "Install Server" }).first().click({ timeout: 60_000 });
    log("Install Server chosen");
  }
  const bar = page.locator(".statusbar-item", { hasText: /AKM: \d+/ });
  await bar.waitFor({ timeout: process.env.AKM_LS === undefined ? 240_000 : 45_000 });
  log(`status bar: ${(await bar.innerText()).trim()}`);

  await open(page, "unquoted-colon.md");
  await page.locator(".squiggly-error, .squiggly-warning").first().waitFor({ timeout: 30_000 });
  log("squiggle");
  await shot("squiggle");

  await open(page, "token-rotation.md");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nSee ");
  await command(page, "AKM: Search");
  const input = page.locator(".quick-input-widget input").first();
  await page.locator(".quick-input-title", { hasText: "AKM" }).waitFor();
  await input.pressSequentially("restore backup", { delay: 40 });
  const hit = page.locator(".quick-input-list .monaco-list-row", { hasText: "postgres-restore" }).first();
  await hit.waitFor({ timeout: 15_000 });
  log("search: a hit");
  await page.waitForTimeout(600);
  await shot("search");
  await hit.hover();
  await hit.locator(".action-label.codicon-insert").click();
  await page.waitForFunction(
    () => /postgres-restore/.test(document.querySelector(".editor-instance .view-lines")?.textContent ?? ""),
    undefined,
    { timeout: 10_000 },
  );
  log("search: ref inserted");
  await shot("inserted");
  await page.keyboard.press("Control+Z");

  await page.locator('.activitybar .action-label[aria-label^="AKM"]').first().click({ force: true });
  const bundle = page.getByRole("treeitem", { name: /example-bundle/ }).first();
  await bundle.waitFor({ timeout: 15_000 });
  if ((await bundle.getAttribute("aria-expanded")) !== "true") {
    await bundle.click();
  }
  await page.getByRole("treeitem", { name: /^Skills/ }).first().click({ timeout: 15_000 });
  await page.getByRole("treeitem", { name: /code-review/ }).first().waitFor({ timeout: 15_000 });
  log("bundles view");
  await page.getByRole("treeitem", { name: /^Cited by/ }).first().waitFor({ timeout: 15_000 });
  await page.getByRole("treeitem", { name: /^Cites/ }).first().waitFor({ timeout: 15_000 });
  log("citations view");
  await page.waitForTimeout(500);
  await shot("views");

  await command(page, "AKM: Show Status");
  await page.locator(".view-line", { hasText: "Semantic" }).first().waitFor({ timeout: 15_000 });
  log("status shown");
  await shot("status");
}

prepare();
const { port, stop } = await serve();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
await context.grantPermissions(["clipboard-read", "clipboard-write"]);
const page = await context.newPage();
try {
  await page.goto(`http://127.0.0.1:${String(port)}/?folder=${workspace}`);
  await use(page);
  log("done");
} catch (error) {
  await page.screenshot({ path: path.join(shots, "failed.png") });
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
} finally {
  await browser.close();
  stop();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
