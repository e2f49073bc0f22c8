// Bundles the extension to out/extension.js and the page of the graph to out/graph.js; with --tests
// each unit test to out/test.
import { readdirSync, rmSync } from "node:fs";
import * as esbuild from "esbuild";

const flags = new Set(process.argv.slice(2));
const production = flags.has("--production");

/** @type {esbuild.BuildOptions} */
const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  logLevel: "warning",
  sourcemap: !production,
};

/** @type {esbuild.BuildOptions} */
const extension = {
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  external: ["vscode"],
  minify: production,
};

/** @type {esbuild.BuildOptions} */
const page = {
  ...common,
  entryPoints: ["webview/graph.ts"],
  outfile: "out/graph.js",
  platform: "browser",
  format: "iife",
  target: "es2022",
  sourcemap: false,
  minify: production,
};

if (flags.has("--tests")) {
  rmSync("out/test", { recursive: true, force: true });
  await esbuild.build({
    ...common,
    sourcemap: "inline",
    entryPoints: readdirSync("test")
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `test/${name}`),
    outdir: "out/test",
  });
} else if (flags.has("--host-tests")) {
  await esbuild.build({
    ...common,
    sourcemap: "inline",
    entryPoints: ["e2e/host/index.ts"],
    outfile: "out/host/index.js",
    external: ["vscode"],
  });
} else if (flags.has("--watch")) {
  for (const options of [extension, page]) {
    const context = await esbuild.context({ ...options, logLevel: "info" });
    await context.watch();
  }
} else {
  rmSync("out/extension.js.map", { force: true });
  await Promise.all([esbuild.build(extension), esbuild.build(page)]);
}
