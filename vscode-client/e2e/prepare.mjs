// Brings what the tests in a real VS Code need, once, into a cache: code-server (which carries VS
// Code's own server and workbench), the Node it runs on, playwright-core, and Chromium.
//
//   node e2e/prepare.mjs        says where everything is, as JSON on the last line
//
// AKM_E2E_CACHE names another cache. CHROMIUM names a Chromium that is there already.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

const VERSIONS = { node: "24.21.0", "code-server": "4.139.1", "playwright-core": "1.65.0" };

function log(text) {
  process.stderr.write(`${text}\n`);
}

function run(command, args, options = {}) {
  const started = Date.now();
  const done = spawnSync(command, args, { encoding: "utf8", ...options });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (done.error !== undefined || done.status !== 0) {
    log(`${done.stdout ?? ""}${done.stderr ?? ""}`);
    throw new Error(`${command} ${args.join(" ")} failed: ${String(done.error ?? `exit code ${String(done.status)}`)}`);
  }
  log(`${seconds.padStart(6)} s  ${path.basename(command)} ${args.join(" ")}`);
}

const home = process.env.AKM_E2E_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache"), "akm-ls-e2e");
const version = Object.entries(VERSIONS).map(([name, wanted]) => `${name}-${wanted}`).join("_");
const root = path.join(home, version);
const node = path.join(root, "node_modules/node/bin/node");
const vscode = path.join(root, "node_modules/code-server/lib/vscode");

function installVsCode() {
  if (existsSync(path.join(root, ".complete"))) {
    return;
  }
  // Made beside its place and moved: what was begun and broken off is never used.
  const making = `${root}.making-${String(process.pid)}`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  writeFileSync(path.join(making, "package.json"), '{"private": true}\n');
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["install", ...quiet, `node@${VERSIONS.node}`, `playwright-core@${VERSIONS["playwright-core"]}`], { cwd: making });
  const env = { ...process.env, PATH: `${path.join(making, "node_modules/node/bin")}${path.delimiter}${process.env.PATH ?? ""}` };
  // Without install scripts nothing is compiled. A watch over its own parent VS Code's server does
  // without; its log files are written by spdlog.js.
  run("npm", ["install", ...quiet, "--ignore-scripts", `code-server@${VERSIONS["code-server"]}`], { cwd: making, env });
  const inner = path.join(making, "node_modules/code-server/lib/vscode");
  run("npm", ["install", ...quiet, "--omit=dev", "--ignore-scripts"], { cwd: inner, env });
  copyFileSync("e2e/spdlog.js", path.join(inner, "node_modules/@vscode/spdlog/index.js"));
  writeFileSync(path.join(making, ".complete"), "");
  rmSync(root, { recursive: true, force: true });
  renameSync(making, root);
}

function findChromium() {
  const known = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return known.find((file) => file !== undefined && existsSync(file));
}

function installChromium() {
  const found = findChromium();
  if (found !== undefined) {
    return found;
  }
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    throw new Error(
      "There is no Chromium, and without root on Debian or Ubuntu it cannot be installed from here. " +
        "Install one and name it: CHROMIUM=/path/to/chromium make vscode-e2e",
    );
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  run("apt-get", ["update", "-qq"], { env });
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"], { env });
  const installed = findChromium();
  if (installed === undefined) {
    throw new Error("apt-get installed no Chromium. Install one and name it with CHROMIUM.");
  }
  return installed;
}

try {
  const chromium = installChromium();
  installVsCode();
  process.stdout.write(`${JSON.stringify({ node, vscode, chromium, playwright: root })}\n`);
} catch (error) {
  log(`\nThe tests in a real VS Code cannot run here: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
