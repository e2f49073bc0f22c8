import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { bundledWheel, explainPip, findInstalled, install, InstallError } from "../src/installation.js";
import type { Ran, Run } from "../src/python.js";

const PYTHON = { command: ["python3"], executable: "/usr/bin/python3", version: "3.12.1" };
const OK: Ran = { code: 0, stdout: "", stderr: "" };
const WHEEL = "/ext/wheel/akm_language_server-0.4.0-py3-none-any.whl";
let storage = "";

beforeEach(() => {
  storage = fs.mkdtempSync(path.join(tmpdir(), "akm-install-"));
});
afterEach(() => {
  fs.rmSync(storage, { recursive: true });
});

/** Programs that do what is expected of them, except where `faults` says otherwise. */
function programs(faults: Record<string, Ran> = {}, seen: string[] = []): Run {
  return (command, args) => {
    const what = args.includes("venv") ? "venv" : args.includes("pip") ? "pip" : "server";
    seen.push([command, ...args].join(" "));
    if (what === "venv" && faults[what] === undefined) {
      fs.mkdirSync(path.join(args.at(-1) ?? "", "bin"), { recursive: true });
    }
    const done = what === "server" ? { ...OK, stdout: "akm-ls 0.4.0\n" } : OK;
    return Promise.resolve(faults[what] ?? done);
  };
}

function installWith(run: Run, offline = false) {
  return install(PYTHON, WHEEL, storage, { run, platform: "linux", offline }, () => undefined);
}

describe("an installation", () => {
  it("counts afterwards, and replaces the one before", async () => {
    const old = path.join(storage, "server-0.3.0");
    fs.mkdirSync(old);
    fs.writeFileSync(path.join(old, "complete.json"), "{}");
    assert.equal(findInstalled(storage, "linux")?.version, "0.3.0");

    const installed = await installWith(programs());
    assert.deepEqual(installed, findInstalled(storage, "linux"));
    assert.equal(installed.executable, path.join(storage, "server-0.4.0", "bin", "akm-ls"));
    assert.deepEqual(fs.readdirSync(storage), ["server-0.4.0"]);
  });

  it("that fails does not count, and what was there stays", async () => {
    const old = path.join(storage, "server-0.3.0");
    fs.mkdirSync(old);
    fs.writeFileSync(path.join(old, "complete.json"), "{}");
    const broken = programs({ server: { code: 1, stdout: "", stderr: "ImportError" } });
    await assert.rejects(installWith(broken), (error) => {
      assert.ok(error instanceof InstallError);
      assert.match(error.message, /does not start/);
      assert.match(error.details, /ImportError/);
      return true;
    });
    assert.equal(findInstalled(storage, "linux")?.version, "0.3.0");
  });

  it("runs nothing that the workspace or the user's variables could change", async () => {
    const seen: string[] = [];
    await installWith(programs({}, seen));
    assert.match(seen[0] ?? "", /python3 -I -m venv/);
    assert.match(seen[1] ?? "", /bin\/python -I -m pip .*install --only-binary=:all: .*\.whl$/);
  });

  it("asks no index when everything is to stay offline", async () => {
    const seen: string[] = [];
    await installWith(programs({}, seen), true);
    assert.match(seen[1] ?? "", /--no-index/);
  });
});

describe("what pip says", () => {
  it("about a missing connection becomes a sentence about the connection", () => {
    const error = explainPip(
      "WARNING: Retrying ... NewConnectionError('...')\nERROR: No matching distribution found for apsw>=3.46",
      false,
    );
    assert.match(error.problem, /apsw could not be downloaded/);
    assert.match(error.nextStep, /proxy/);
  });

  it("about a package without a wheel names the package", () => {
    assert.match(explainPip("ERROR: No matching distribution found for numpy>=1.26", false).problem, /numpy/);
  });

  it("about anything else goes to the log", () => {
    const error = explainPip("ERROR: boom", false);
    assert.match(error.nextStep, /log/);
    assert.equal(error.details, "ERROR: boom");
  });
});

it("the wheel lies in the extension's folder, or is not there", () => {
  assert.equal(bundledWheel(storage), undefined);
  fs.writeFileSync(path.join(storage, path.basename(WHEEL)), "");
  assert.equal(path.basename(bundledWheel(storage) ?? ""), path.basename(WHEEL));
});
