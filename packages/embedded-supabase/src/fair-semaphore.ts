/** Ends a turn, so that the next waiting caller gets one. */
type Release = () => void;

type Waiting = { letIn(): void; reject(error: Error): void };

/** Maximum lead that is remembered, in ms. A longer one is cut, because the other side did not need the time. */
const MAX_AHEAD_MS = 200;

type Options = {
  /** Maximum number of holders at once. */
  size: number;
  /** Maximum number of holders at once per client. Default: a third of `size`. */
  perClient?: number;
  /** Maximum wait in ms. Default: unlimited. */
  longestWaitMs?: number;
  /** Creates the error of a wait that was too long, or that `cancel` ended. */
  rejection(): Error;
};

/**
 * A semaphore that clients share. Waiting clients take turns, so a client with a hundred requests delays the first
 * request of another client by only one of them. The website, which renders pages for all readers, and the backend's
 * own work together get half of the time. They have no limit per client.
 */
export class FairSemaphore {
  readonly #size: number;
  readonly #perClient: number;
  readonly #longestWaitMs: number | undefined;
  readonly #rejection: () => Error;
  /** Waiting callers by client, in the order of the clients' turns. Key undefined: the website and the backend. */
  readonly #waiting = new Map<string | undefined, Waiting[]>();
  readonly #holding = new Map<string | undefined, number>();
  #held = 0;
  #wasClient = false;
  /** How much more time clients had than the website and the backend, in ms. */
  #aheadMs = 0;

  constructor({ size, perClient = Math.ceil(size / 3), longestWaitMs, rejection }: Options) {
    this.#size = size;
    this.#perClient = perClient;
    this.#longestWaitMs = longestWaitMs;
    this.#rejection = rejection;
  }

  /**
   * Waits for a turn.
   * @param client a client network, or undefined for the website and for work of the backend itself
   * @returns a function that ends the turn; the caller must call it once
   * @throws the error of `rejection`, after too long a wait or after `cancel`
   */
  acquire(client: string | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        letIn: () => {
          clearTimeout(timeout);
          const since = performance.now();
          resolve(() => this.#release(client, performance.now() - since));
        },
        reject: (error) => {
          clearTimeout(timeout);
          this.#forget(client, waiting);
          reject(error);
        },
      };
      const timeout =
        this.#longestWaitMs === undefined
          ? undefined
          : setTimeout(() => waiting.reject(this.#rejection()), this.#longestWaitMs);
      this.#waiting.set(client, [...(this.#waiting.get(client) ?? []), waiting]);
      this.#letIn();
    });
  }

  /** Runs work when its client has a turn. @throws the errors of `acquire` and of the work */
  async run<Result>(client: string | undefined, work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire(client);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Rejects all waiting callers. */
  cancel(): void {
    for (const waiting of [...this.#waiting.values()].flat()) waiting.reject(this.#rejection());
  }

  #letIn(): void {
    while (this.#held < this.#size) {
      const next = this.#next();
      if (!next) return;
      const { client, waiting } = next;
      this.#forget(client, waiting);
      // After its turn, a client moves to the end of the order.
      const others = this.#waiting.get(client);
      if (others) {
        this.#waiting.delete(client);
        this.#waiting.set(client, others);
      }
      this.#held += 1;
      this.#holding.set(client, (this.#holding.get(client) ?? 0) + 1);
      this.#wasClient = client !== undefined;
      waiting.letIn();
    }
  }

  #next(): { client: string | undefined; waiting: Waiting } | undefined {
    const [own] = this.#waiting.get(undefined) ?? [];
    if (own && (this.#aheadMs > 0 || (this.#aheadMs === 0 && this.#wasClient))) {
      return { client: undefined, waiting: own };
    }
    for (const [client, [waiting]] of this.#waiting) {
      if (client === undefined || !waiting) continue;
      if ((this.#holding.get(client) ?? 0) < this.#perClient) return { client, waiting };
    }
    return own && { client: undefined, waiting: own };
  }

  #release(client: string | undefined, ms: number): void {
    this.#held -= 1;
    const ahead = this.#aheadMs + (client === undefined ? -ms : ms);
    this.#aheadMs = Math.max(-MAX_AHEAD_MS, Math.min(ahead, MAX_AHEAD_MS));
    const left = (this.#holding.get(client) ?? 1) - 1;
    if (left > 0) this.#holding.set(client, left);
    else this.#holding.delete(client);
    this.#letIn();
  }

  #forget(client: string | undefined, waiting: Waiting): void {
    const others = (this.#waiting.get(client) ?? []).filter((one) => one !== waiting);
    if (others.length > 0) this.#waiting.set(client, others);
    else this.#waiting.delete(client);
  }
}
