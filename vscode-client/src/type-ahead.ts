/** Asking while somebody types: after a pause, one question at a time, only the newest answer. */

export interface Listener<T> {
  /** Whether a question is waiting or under way. */
  busy(is: boolean): void;
  answered(query: string, answer: T): void;
  failed(query: string, error: unknown): void;
}

export class TypeAhead<T> {
  private timer: NodeJS.Timeout | undefined;
  private asking: AbortController | undefined;

  constructor(
    private readonly ask: (query: string, signal: AbortSignal) => Promise<T>,
    private readonly listener: Listener<T>,
    private readonly delayMs = 120,
  ) {}

  /** The query is now this; whatever was asked before is cancelled. */
  type(query: string, delayMs = this.delayMs): void {
    this.cancel();
    this.listener.busy(true);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.askNow(query);
    }, delayMs);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.asking?.abort();
    this.asking = undefined;
  }

  private async askNow(query: string): Promise<void> {
    const asking = new AbortController();
    this.asking = asking;
    try {
      const answer = await this.ask(query, asking.signal);
      if (!asking.signal.aborted) {
        this.listener.answered(query, answer);
      }
    } catch (error) {
      if (!asking.signal.aborted) {
        this.listener.failed(query, error);
      }
    } finally {
      if (this.asking === asking) {
        this.asking = undefined;
        this.listener.busy(false);
      }
    }
  }
}
