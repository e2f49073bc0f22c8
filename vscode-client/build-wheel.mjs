// Builds the server's wheel into wheel/, from where the package takes it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

const root = path.resolve("..");
const local = ["bin/python", "Scripts/python.exe"].map((file) => path.join(root, ".venv", file));
const python = process.env.PYTHON ?? local.find((file) => existsSync(file)) ?? "python3";

rmSync("wheel", { recursive: true, force: true });
mkdirSync("wheel");
const built = spawnSync(python, ["-m", "build", "--wheel", "--outdir", path.resolve("wheel"), root], {
  encoding: "utf8",
});
if (built.error !== undefined || built.status !== 0) {
  process.stderr.write(`${built.stdout ?? ""}${built.stderr ?? String(built.error)}`);
  process.stderr.write(
    `\n${python} could not build the wheel. Name a Python that has the package “build”: PYTHON=… npm run package\n`,
  );
  process.exit(1);
}
process.stdout.write(`${readdirSync("wheel").join("\n")}\n`);
