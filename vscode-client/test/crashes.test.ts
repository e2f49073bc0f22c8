import assert from "node:assert/strict";
import { it } from "node:test";
import { CrashBackOff } from "../src/crashes.js";

it("a server that keeps crashing is started later each time, and then not at all", () => {
  const backOff = new CrashBackOff();
  const delays = [0, 1000, 4000, 13_000, 46_000].map((now) => backOff.crashed(now));
  assert.deepEqual(delays, [500, 2000, 8000, 32_000, undefined]);
});

it("a crash now and then is no reason to give up", () => {
  const backOff = new CrashBackOff();
  for (let hour = 0; hour < 10; hour++) {
    assert.equal(backOff.crashed(hour * 3_600_000), 500);
  }
});

it("a restart that the user asked for begins anew", () => {
  const backOff = new CrashBackOff();
  [1, 2, 3, 4, 5].forEach((now) => backOff.crashed(now));
  backOff.reset();
  assert.equal(backOff.crashed(6), 500);
});
