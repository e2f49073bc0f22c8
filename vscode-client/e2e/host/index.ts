/** Tests inside VS Code's extension host: what the extension does, seen through VS Code's API. */

import { writeFileSync } from "node:fs";
import { TESTS } from "./tests.js";

interface Result {
  readonly name: string;
  readonly ms: number;
  readonly error?: string;
}

/** VS Code calls this once its window is there. */
export async function run(): Promise<void> {
  const results: Result[] = [];
  const write = (done: boolean): void => {
    writeFileSync(process.env.AKM_E2E_RESULTS ?? "results.json", JSON.stringify({ results, done }));
  };
  for (const [name, test] of TESTS) {
    const started = Date.now();
    try {
      await test();
      results.push({ name, ms: Date.now() - started });
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      results.push({ name, ms: Date.now() - started, error: text });
    }
    write(false);
  }
  write(true);
}
