import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  expandPath,
  findServer,
  type NoServer,
  type ServerCommand,
  type Surroundings,
} from "../src/server-command.js";

/** A Linux machine with nothing installed, on which `executables` exist. */
function machine(executables: string[], changes: Partial<Surroundings> = {}): Surroundings {
  return {
    configured: [],
    platform: "linux",
    env: { PATH: "/usr/local/bin:/usr/bin" },
    home: "/home/ana",
    folders: ["/code/stash"],
    trusted: true,
    isExecutable: (file) => executables.includes(file),
    ...changes,
  };
}

function found(at: Surroundings): ServerCommand {
  const result = findServer(at);
  assert.equal(result.kind, "found");
  return result;
}

function missing(at: Surroundings): NoServer {
  const result = findServer(at);
  assert.equal(result.kind, "missing");
  return result;
}

describe("the setting akm.server.command", () => {
  it("wins over PATH, and its arguments are passed on", () => {
    const at = machine(["/opt/akm-ls", "/usr/bin/akm-ls"], {
      configured: ["/opt/akm-ls", "--data-dir", "/data"],
    });
    assert.deepEqual(found(at), {
      kind: "found",
      command: "/opt/akm-ls",
      args: ["--data-dir", "/data"],
      origin: "setting",
    });
  });

  it("may be a bare name, looked up on PATH", () => {
    const at = machine(["/usr/bin/uvx"], { configured: ["uvx", "akm-ls"] });
    assert.equal(found(at).command, "/usr/bin/uvx");
  });

  it("knows ~ and ${workspaceFolder}", () => {
    const atHome = machine(["/home/ana/bin/akm-ls"], { configured: ["~/bin/akm-ls"] });
    assert.equal(found(atHome).command, "/home/ana/bin/akm-ls");
    const inFolder = machine(["/code/stash/env/akm-ls"], {
      configured: ["${workspaceFolder}/env/akm-ls"],
    });
    assert.equal(found(inFolder).command, "/code/stash/env/akm-ls");
  });

  it("that names nothing is an error, even when PATH has a server", () => {
    const result = missing(machine(["/usr/bin/akm-ls"], { configured: ["/gone/akm-ls"] }));
    assert.match(result.problem, /akm\.server\.command.*\/gone\/akm-ls/);
    assert.equal(result.cure, "settings");
  });
});

describe("PATH", () => {
  it("is searched in its order", () => {
    const at = machine(["/usr/bin/akm-ls", "/usr/local/bin/akm-ls"]);
    assert.deepEqual(found(at), {
      kind: "found",
      command: "/usr/local/bin/akm-ls",
      args: [],
      origin: "path",
    });
  });

  it("wins over the workspace's .venv", () => {
    const at = machine(["/usr/bin/akm-ls", "/code/stash/.venv/bin/akm-ls"]);
    assert.equal(found(at).origin, "path");
  });

  it("does not count its relative entries, which could lie in the workspace", () => {
    const at = machine(["bin/akm-ls", "akm-ls", "./akm-ls"], { env: { PATH: "bin::." } });
    assert.equal(missing(at).cure, "install");
  });

  it("may be unset", () => {
    assert.equal(missing(machine([], { env: {} })).kind, "missing");
  });
});

describe("the workspace's .venv", () => {
  it("is used when nothing else is there, in any of the folders", () => {
    const at = machine(["/code/two/.venv/bin/akm-ls"], { folders: ["/code/one", "/code/two"] });
    assert.deepEqual(found(at), {
      kind: "found",
      command: "/code/two/.venv/bin/akm-ls",
      args: [],
      origin: "workspace",
    });
  });

  it("is never run in a workspace that is not trusted", () => {
    const result = missing(machine(["/code/stash/.venv/bin/akm-ls"], { trusted: false }));
    assert.match(result.problem, /not trusted/);
    assert.match(result.nextStep, /Trust the workspace/);
  });
});

describe("the environment of the Python extension", () => {
  const interpreter = "/envs/notes/bin/python3";

  it("is used when it holds the server, before PATH", () => {
    const at = machine(["/envs/notes/bin/akm-ls", "/usr/bin/akm-ls"], { interpreter });
    assert.deepEqual(found(at), {
      kind: "found",
      command: "/envs/notes/bin/akm-ls",
      args: [],
      origin: "interpreter",
    });
  });

  it("is passed over when it does not", () => {
    assert.equal(found(machine(["/usr/bin/akm-ls"], { interpreter })).origin, "path");
  });

  it("is never run in a workspace that is not trusted, since it may lie there", () => {
    const at = machine(["/envs/notes/bin/akm-ls"], { interpreter, trusted: false });
    assert.match(missing(at).nextStep, /Trust the workspace/);
  });

  it("may be a Windows installation, with its scripts below it", () => {
    const at = machine(["C:\\Python\\Scripts\\akm-ls.exe"], {
      platform: "win32",
      env: {},
      interpreter: "C:\\Python\\python.exe",
    });
    assert.equal(found(at).origin, "interpreter");
  });
});

describe("the server that the extension installed", () => {
  const owned = "/home/ana/.config/Code/akm/server-1/bin/akm-ls";

  it("is the last resort, and may be used in a workspace that is not trusted", () => {
    assert.equal(found(machine([owned], { owned, trusted: false })).origin, "owned");
    assert.equal(found(machine([owned, "/usr/bin/akm-ls"], { owned })).origin, "path");
  });

  it("does not count when its files are gone", () => {
    assert.equal(missing(machine([], { owned })).cure, "install");
  });
});

it("a machine without the server is told how to install it", () => {
  const result = missing(machine([]));
  assert.match(result.problem, /not installed/);
  assert.match(result.nextStep, /pipx install akm-language-server/);
});

describe("on Windows", () => {
  const windows = {
    platform: "win32",
    env: { Path: 'C:\\Windows;"C:\\Tools"', PATHEXT: ".COM;.EXE;.BAT;.CMD" },
    home: "C:\\Users\\ana",
    folders: ["C:\\stash"],
  } as const;

  it("PATH may be spelled Path, its entries quoted, and the file ends in .exe", () => {
    const at = machine(["C:\\Tools\\akm-ls.exe"], windows);
    assert.equal(found(at).command, "C:\\Tools\\akm-ls.exe");
  });

  it("the .venv has Scripts instead of bin", () => {
    const at = machine(["C:\\stash\\.venv\\Scripts\\akm-ls.exe"], windows);
    assert.equal(found(at).origin, "workspace");
  });

  it("a .cmd file is not taken, since it cannot be started without a shell", () => {
    assert.equal(missing(machine(["C:\\Tools\\akm-ls.cmd"], windows)).cure, "install");
  });

  it("the setting may name the file with or without its ending", () => {
    for (const name of ["C:\\x\\akm-ls", "C:\\x\\akm-ls.EXE"]) {
      const file = name.endsWith(".EXE") ? name : `${name}.exe`;
      assert.equal(found(machine([file], { ...windows, configured: [name] })).command, file);
    }
  });
});

describe("a path in a setting", () => {
  const at = machine([]);

  it("is left alone when it is absolute", () => {
    assert.equal(expandPath("/a/b", at), "/a/b");
  });

  it("is relative to the first workspace folder, or to home without one", () => {
    assert.equal(expandPath("notes", at), "/code/stash/notes");
    assert.equal(expandPath("notes", machine([], { folders: [] })), "/home/ana/notes");
  });

  it("may start with ~, but ~name and a ~ inside are names", () => {
    assert.equal(expandPath("~", at), "/home/ana");
    assert.equal(expandPath("~/akm", at), "/home/ana/akm");
    assert.equal(expandPath("~bob", at), "/code/stash/~bob");
  });

  it("keeps dollar signs of the folder's name", () => {
    const folders = ["/code/$&"];
    assert.equal(expandPath("${workspaceFolder}/x", machine([], { folders })), "/code/$&/x");
  });
});
