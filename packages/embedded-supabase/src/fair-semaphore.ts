/** Ends a turn, so that the next waiting caller gets one. */
type Release = () => void;

type Waiter = { letIn(): void; reject(error: Error): void };

/** Maximum lead that is remembered, in ms. A longer one is cut, because the other side did not need the time. */
const MAX_LEAD_MS = 200;

type Options = {
  /** Maximum number of holders at once. */
  size: number;
  /** Maximum number of holders at once per client. Default: a third of `size`. */
  perClient?: number;
  /** Maximum wait in ms. Default: unlimited. */
  maxWaitMs?: number;
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
  readonly #maxWaitMs: number | undefined;
  readonly #rejection: () => Error;
  /** Waiting callers by client, in the order of the clients' turns. Key undefined: the website and the backend. */
  readonly #waiters = new Map<string | undefined, Waiter[]>();
  readonly #heldByClient = new Map<string | undefined, number>();
  #heldCount = 0;
  #lastWasClient = false;
  /** How much more time clients had than the website and the backend, in ms. */
  #clientLeadMs = 0;

  constructor({ size, perClient = Math.ceil(size / 3), maxWaitMs, rejection }: Options) {
    this.#size = size;
    this.#perClient = perClient;
    this.#maxWaitMs = maxWaitMs;
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
      const waiter: Waiter = {
        letIn: () => {
          clearTimeout(timeout);
          const startedAt = performance.now();
          resolve(() => this.#release(client, performance.now() - startedAt));
        },
        reject: (error) => {
          clearTimeout(timeout);
          this.#removeWaiter(client, waiter);
          reject(error);
        },
      };
      const timeout =
        this.#maxWaitMs === undefined
          ? undefined
          : setTimeout(() => waiter.reject(this.#rejection()), this.#maxWaitMs);
      this.#waiters.set(client, [...(this.#waiters.get(client) ?? []), waiter]);
      this.#admitWaiters();
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
    for (const waiter of [...this.#waiters.values()].flat()) waiter.reject(this.#rejection());
  }

  #admitWaiters(): void {
    while (this.#heldCount < this.#size) {
      const next = this.#next();
      if (!next) return;
      const { client, waiting: waiter } = next;
      this.#removeWaiter(client, waiter);
      // After its turn, a client moves to the end of the order.
      const remaining = this.#waiters.get(client);
      if (remaining) {
        this.#waiters.delete(client);
        this.#waiters.set(client, remaining);
      }
      this.#heldCount += 1;
      this.#heldByClient.set(client, (this.#heldByClient.get(client) ?? 0) + 1);
      this.#lastWasClient = client !== undefined;
      waiter.letIn();
    }
  }

  #next(): { client: string | undefined; waiting: Waiter } | undefined {
    const [internalWaiter] = this.#waiters.get(undefined) ?? [];
    if (internalWaiter && (this.#clientLeadMs > 0 || (this.#clientLeadMs === 0 && this.#lastWasClient))) {
      return { client: undefined, waiting: internalWaiter };
    }
    for (const [client, [waiter]] of this.#waiters) {
      if (client === undefined || !waiter) continue;
      if ((this.#heldByClient.get(client) ?? 0) < this.#perClient) return { client, waiting: waiter };
    }
    return internalWaiter && { client: undefined, waiting: internalWaiter };
  }

  #release(client: string | undefined, ms: number): void {
    this.#heldCount -= 1;
    const leadMs = this.#clientLeadMs + (client === undefined ? -ms : ms);
    this.#clientLeadMs = Math.max(-MAX_LEAD_MS, Math.min(leadMs, MAX_LEAD_MS));
    const heldByThisClient = (this.#heldByClient.get(client) ?? 1) - 1;
    if (heldByThisClient > 0) this.#heldByClient.set(client, heldByThisClient);
    else this.#heldByClient.delete(client);
    this.#admitWaiters();
  }

  #removeWaiter(client: string | undefined, waiter: Waiter): void {
    const remaining = (this.#waiters.get(client) ?? []).filter((other) => other !== waiter);
    if (remaining.length > 0) this.#waiters.set(client, remaining);
    else this.#waiters.delete(client);
  }
}
