/** Programs that run to their end, with what they print. */

import { spawn } from "node:child_process";
import { homedir } from "node:os";
import type { Ran, Run } from "./python.js";

const MOST_OUTPUT = 1_000_000;

/** Runs in the home directory: nothing of the workspace is imported or found first. */
export function runner(signal: AbortSignal, log: (line: string) => void, timeoutMs = 600_000): Run {
  return (command, args) =>
    new Promise<Ran>((resolve) => {
      let stdout = "";
      let stderr = "";
      log(`> ${[command, ...args].join(" ")}`);
      const child = spawn(command, args, {
        cwd: homedir(),
        signal,
        timeout: timeoutMs,
        windowsHide: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout = (stdout + text).slice(-MOST_OUTPUT);
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr = (stderr + text).slice(-MOST_OUTPUT);
      });
      child.on("error", (error) => {
        resolve({ code: null, stdout, stderr: `${stderr}${String(error)}` });
      });
      child.on("close", (code) => {
        resolve({ code, stdout, stderr });
      });
    });
}
