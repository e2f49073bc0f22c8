/** What to do when the server ends by itself: again, later each time, until it is hopeless. */

const WINDOW_MS = 5 * 60_000;
const MOST = 5;
const FIRST_DELAY_MS = 500;

export class CrashBackOff {
  private crashes: number[] = [];

  /** The user has asked for a start: what was before does not count. */
  reset(): void {
    this.crashes = [];
  }

  /**
   * Notes a crash. The answer is how many milliseconds to wait before the next start; undefined:
   * there were too many within five minutes.
   */
  crashed(now: number): number | undefined {
    this.crashes = [...this.crashes.filter((time) => now - time < WINDOW_MS), now];
    return this.crashes.length >= MOST
      ? undefined
      : FIRST_DELAY_MS * 2 ** (2 * (this.crashes.length - 1));
  }
}
