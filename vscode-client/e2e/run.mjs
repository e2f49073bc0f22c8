// What CI runs of the extension in a real VS Code; the package has to be made first.
//
//   npm run package && npm run e2e               both parts
//   npm run e2e -- use [--pictures]              as a person; the pictures of the README anew
//   npm run e2e -- host                          through VS Code's API
import { spawnSync } from "node:child_process";

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const parts = asked.length > 0 ? asked : ["use", "host"];

const prepared = spawnSync(process.execPath, ["e2e/prepare.mjs"], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
if (prepared.status !== 0) {
  process.exit(1);
}
const tools = prepared.stdout.trim().split("\n").at(-1) ?? "{}";

function run(args) {
  const done = spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, AKM_E2E_TOOLS: tools } });
  if (done.status !== 0) {
    process.exit(1);
  }
}

run(["esbuild.mjs", "--host-tests"]);
for (const part of parts) {
  process.stdout.write(`\n${part === "use" ? "As a person would use it" : "Through VS Code's API, in its extension host"}\n`);
  run([`e2e/${part}.mjs`, ...options]);
}
