import assert from "node:assert/strict";
import { it } from "node:test";
import { versionOf, versionProblem } from "../src/versions.js";

it("the version is found in what the program prints", () => {
  assert.equal(versionOf("akm-ls 0.12.3\n"), "0.12.3");
  assert.equal(versionOf("Traceback"), undefined);
});

it("before 1.0 the second number has to be the same, the third does not count", () => {
  assert.equal(versionProblem("0.3.9", "0.3.0"), undefined);
  assert.match(versionProblem("0.2.9", "0.3.0") ?? "", /older.*update the server/);
  assert.match(versionProblem("0.10.0", "0.9.0") ?? "", /newer.*update the extension/);
});

it("from 1.0 on the first number decides", () => {
  assert.equal(versionProblem("1.0.0", "1.4.0"), undefined);
  assert.match(versionProblem("0.9.0", "1.0.0") ?? "", /older/);
});

it("a server without a version is suspicious", () => {
  assert.match(versionProblem(undefined, "0.1.0") ?? "", /may be older/);
});
