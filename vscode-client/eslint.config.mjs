import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["out/", "node_modules/", "wheel/"] },
  js.configs.recommended,
  {
    files: ["src/**/*.ts", "test/**/*.ts", "webview/**/*.ts", "e2e/**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // node:test returns promises that the runner itself awaits.
      "@typescript-eslint/no-floating-promises": [
        "error",
        { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "describe", "it"] }] },
      ],
    },
  },
  {
    files: ["e2e/spdlog.js"],
    languageOptions: { sourceType: "commonjs", globals: { require: "readonly", exports: "readonly" } },
  },
  {
    files: ["*.mjs", "e2e/*.mjs"],
    // `document` is that of the page which a function is sent to.
    languageOptions: { globals: { process: "readonly", setTimeout: "readonly", document: "readonly", NodeFilter: "readonly" } },
  },
);
