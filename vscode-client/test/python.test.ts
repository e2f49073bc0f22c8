import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findPython, pythonCandidates, type NoPython, type Python, type Run } from "../src/python.js";

/** A machine with these interpreters: command → version, or `no venv` after it. */
function machine(pythons: Record<string, string>): Run {
  return (command, args) => {
    const name = [command, ...args.filter((arg) => arg === "-3")].join(" ");
    const found = pythons[name];
    if (found === undefined) {
      return Promise.resolve({ code: null, stdout: "", stderr: "ENOENT" });
    }
    const [version = "", ...without] = found.split(" ");
    const lines = [version, `/usr/bin/${command.replace(/.*\//, "")}`, without.length > 0 ? "0" : "1"];
    return Promise.resolve({ code: 0, stdout: `${lines.join("\n")}\n`, stderr: "" });
  };
}

async function find(pythons: Record<string, string>, interpreter?: string) {
  return findPython(pythonCandidates(interpreter, "linux"), machine(pythons), "linux");
}

describe("a Python for the server", () => {
  it("is the one that the Python extension has chosen, if it will do", async () => {
    const found = (await find({ "/envs/a/bin/python": "3.12.1", python3: "3.11.2" }, "/envs/a/bin/python")) as Python;
    assert.deepEqual([found.version, found.executable], ["3.12.1", "/usr/bin/python"]);
  });

  it("is a newer one beside an old python3", async () => {
    const found = (await find({ python3: "3.8.10", "python3.12": "3.12.4" })) as Python;
    assert.equal(found.version, "3.12.4");
  });

  it("is asked of the launcher on Windows", async () => {
    const candidates = pythonCandidates(undefined, "win32");
    const found = (await findPython(candidates, machine({ "py -3": "3.13.0" }), "win32")) as Python;
    assert.equal(found.version, "3.13.0");
  });
});

describe("without a Python that will do, the message says", () => {
  it("that there is none", async () => {
    const none = (await find({})) as NoPython;
    assert.match(none.problem, /No Python was found/);
    assert.match(none.nextStep, /3\.10 or newer/);
  });

  it("that it is too old", async () => {
    const none = (await find({ python3: "3.9.2" })) as NoPython;
    assert.match(none.problem, /3\.10 or newer is needed; python3: Python 3\.9\.2 is too old/);
  });

  it("which Debian package is missing", async () => {
    const none = (await find({ python3: "3.11.2 no venv" })) as NoPython;
    assert.match(none.nextStep, /apt install python3\.11-venv/);
  });

  it("nothing of a program that prints something else", async () => {
    const run: Run = () => Promise.resolve({ code: 0, stdout: "Python was not found\n", stderr: "" });
    const none = (await findPython([["python"]], run, "win32")) as NoPython;
    assert.match(none.problem, /No Python was found/);
  });
});
