import assert from "node:assert/strict";
import { beforeEach, describe, it, mock } from "node:test";
import { TypeAhead } from "../src/type-ahead.js";

/** A server whose answers come when the test says so. */
function server() {
  const asked: { query: string; signal: AbortSignal; answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const heard: string[] = [];
  const typing = new TypeAhead<string>(
    (query, signal) =>
      new Promise((answer, fail) => {
        asked.push({ query, signal, answer, fail });
      }),
    {
      busy: (is) => heard.push(is ? "busy" : "idle"),
      answered: (query, answer) => heard.push(`${query}: ${answer}`),
      failed: (query, error) => heard.push(`${query} failed: ${String(error)}`),
    },
    100,
  );
  return { typing, asked, heard };
}

const settled = () => new Promise<void>((resolve) => { setImmediate(resolve); });

describe("searching as you type", () => {
  beforeEach(() => {
    mock.timers.reset();
    mock.timers.enable({ apis: ["setTimeout"] });
  });

  it("asks once, when the typing pauses", () => {
    const { typing, asked } = server();
    for (const query of ["r", "ro", "rot"]) {
      typing.type(query);
      mock.timers.tick(99);
    }
    assert.equal(asked.length, 0);
    mock.timers.tick(1);
    assert.deepEqual(asked.map((each) => each.query), ["rot"]);
  });

  it("cancels what is under way and shows only the newest answer", async () => {
    const { typing, asked, heard } = server();
    typing.type("old");
    mock.timers.tick(100);
    typing.type("new");
    mock.timers.tick(100);
    assert.equal(asked[0]?.signal.aborted, true);
    asked[1]?.answer("second");
    asked[0].answer("first");
    await settled();
    assert.deepEqual(heard.filter((each) => each.includes(":")), ["new: second"]);
    assert.equal(heard.at(-1), "idle");
  });

  it("tells of failures, but not of those that come from cancelling", async () => {
    const { typing, asked, heard } = server();
    typing.type("a");
    mock.timers.tick(100);
    typing.type("b");
    asked[0]?.fail(new Error("cancelled"));
    mock.timers.tick(100);
    asked[1]?.fail(new Error("no index"));
    await settled();
    assert.deepEqual(heard.filter((each) => each.includes("failed")), ["b failed: Error: no index"]);
  });

  it("asks nothing after it was cancelled", () => {
    const { typing, asked } = server();
    typing.type("a");
    typing.cancel();
    mock.timers.tick(1000);
    assert.deepEqual(asked, []);
  });
});
