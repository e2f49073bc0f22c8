// Runs e2e/host inside the extension host of a real VS Code, on the extension as it was built here.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { browse, log, PATIENCE_MS, Scratch, serve, withoutServer } from "./workbench.mjs";

const shots = path.resolve(process.env.SHOTS ?? "../build/screenshots");
const here = path.resolve(".");
const tests = path.resolve("out/host/index.js");
for (const needed of ["out/extension.js", "out/graph.js", tests]) {
  if (!existsSync(needed)) {
    throw new Error(`${needed} is not there: npm run package, then npm run e2e`);
  }
}
/** Of the slowest tests together; a hang is none. */
const AT_MOST_MS = 6 * PATIENCE_MS;

mkdirSync(shots, { recursive: true });
const scratch = new Scratch();
scratch.settings({
  machine: { "akm.dataDir": path.join(scratch.root, "index") },
  user: { "workbench.colorTheme": "Dark Modern", "workbench.secondarySideBar.defaultVisibility": "hidden" },
});
const results = path.join(scratch.root, "results.json");
const server = await serve(scratch, {
  // Without it VS Code ignores what a page asks it to test.
  args: ["--enable-smoke-test-driver"],
  env: {
    PATH: withoutServer(process.env.PATH),
    PIP_CACHE_DIR: process.env.PIP_CACHE_DIR ?? path.join(homedir(), ".cache/pip"),
    AKM_E2E_RESULTS: results,
    AKM_E2E_STARTS: path.join(scratch.root, "starts"),
    AKM_E2E_STORAGE: path.join(scratch.root, "user/User/globalStorage"),
  },
});
const { page, close } = await browse();
const payload = [
  ["extensionDevelopmentPath", `vscode-remote://${server.authority}${here}`],
  ["extensionTestsPath", `vscode-remote://${server.authority}${tests}`],
];
let passed = 0;
let failed = 0;
let done = false;
try {
  await page.goto(
    `${server.address}/?folder=${scratch.workspace}&payload=${encodeURIComponent(JSON.stringify(payload))}`,
  );
  const until = Date.now() + AT_MOST_MS;
  let told = 0;
  while (!done && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    let report;
    try {
      report = JSON.parse(readFileSync(results, "utf8"));
    } catch {
      continue; // not there yet, or half written
    }
    for (const result of report.results.slice(told)) {
      told++;
      log(`${result.error === undefined ? "ok    " : "FAILED"} ${result.name} (${String(result.ms)} ms)`);
      if (result.error === undefined) {
        passed++;
      } else {
        failed++;
        process.stdout.write(`${result.error}\n`);
      }
    }
    done = report.done;
  }
  if (!done || failed > 0) {
    await page.screenshot({ path: path.join(shots, "host-failed.png") });
  }
} finally {
  await close();
  server.stop();
  scratch.remove();
}
if (!done) {
  process.stdout.write("The tests in the extension host did not come to their end.\n");
}
process.stdout.write(`${String(passed)} passed, ${String(failed)} failed\n`);
process.exitCode = done && failed === 0 && passed > 0 ? 0 : 1;
