import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { REFUSALS } from '../i18n/cli.ts';
import { tooManyRequests as english } from '../i18n/en/errors.ts';
import { tooManyRequests as spanish } from '../i18n/es/errors.ts';
import { acceptedLanguage, type Language } from '../i18n/language.ts';
import { refuse } from './errors.ts';
import { clientOf } from './forwarding.ts';
import { PriorityQueue, type QueuedJob, type RejectionReason } from './page-cache/priority-queue.ts';
import { type Cost, costOf, RATES, type RateLimit } from './route-limits.ts';

/** Personal pages that are rendered at once. The remaining time is for pages that all readers share. */
const PERSONAL = { concurrency: 6, perClient: 3, capacity: 400, timeoutMs: 8_000 };

/** Forms and calls in progress. They do not use the page queue, because their bodies may take minutes to arrive. */
const FORMS = { perClient: 32, total: 256 };

/** Maximum number of remembered clients. The least recently seen one is forgotten first. */
const MAX_CLIENTS = 20_000;

/** `Retry-After` of a request that the queue rejected, in seconds. */
const RETRY_AFTER_S = 5;

class QueueRejection extends Error {
  readonly reason: RejectionReason;
  constructor(reason: RejectionReason) {
    super('No turn was free for this page.');
    this.reason = reason;
  }
}

type Bucket = { tokens: number; at: number };

/**
 * Limits the renderings of each client network: how many in a time (route-limits.ts), and how many at once. A client is
 * unknown (undefined) behind a proxy that the settings do not name. Then only the limits for all clients apply.
 */
export class RequestLimits {
  readonly #buckets = new LRUCache<string, Bucket>({ maxSize: MAX_CLIENTS, sizeCalculation: () => 1 });
  readonly #forms = new Map<string, number>();
  #allForms = 0;
  readonly #rates: Readonly<Record<Exclude<Cost, 'file'>, RateLimit>>;
  readonly #now: () => number;
  readonly #personal = new PriorityQueue<QueuedJob>({
    ...PERSONAL,
    rejectionFor: (_job, reason) => new QueueRejection(reason),
  });

  constructor({ rates = RATES, now = () => performance.now() } = {}) {
    this.#rates = rates;
    this.#now = now;
  }

  /**
   * Takes a token of a client for a rendering.
   * @returns 0, or the seconds until a token is available
   */
  take(client: string | undefined, cost: Cost): number {
    if (client === undefined || cost === 'file') return 0;
    const { burst, perSecond } = this.#rates[cost];
    const key = `${cost} ${client}`;
    const now = this.#now();
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const left = Math.min(burst, tokens + ((now - at) / 1000) * perSecond);
    this.#buckets.set(key, { tokens: left < 1 ? left : left - 1, at: now });
    return left < 1 ? (1 - left) / perSecond : 0;
  }

  /**
   * Renders a personal page when a slot is free. Refuses with 429 over the rate, and with 503 when the queue is full.
   */
  async render(request: IncomingMessage, response: ServerResponse, page: () => void): Promise<void> {
    const client = clientOf(request);
    const wait = this.take(client, costOf(request.url ?? ''));
    if (wait > 0) refuseTooMany(request, response, wait);
    else if (request.method !== 'GET' && request.method !== 'HEAD') this.#handleForm(request, response, page);
    else await this.#renderQueued(request, response, page);
  }

  async #renderQueued(request: IncomingMessage, response: ServerResponse, page: () => void): Promise<void> {
    const client = clientOf(request);
    try {
      await this.#personal.add({ waiters: 1, client }, () => firstByteOf(response, page));
    } catch (error) {
      if (!(error instanceof QueueRejection)) throw error;
      if (error.reason === 'client') return refuseTooMany(request, response, RETRY_AFTER_S);
      response.setHeader('retry-after', String(RETRY_AFTER_S));
      refuse(request, response, 503, REFUSALS.unavailable);
    }
  }

  #handleForm(request: IncomingMessage, response: ServerResponse, page: () => void): void {
    const client = clientOf(request) ?? '';
    const ofClient = this.#forms.get(client) ?? 0;
    if (this.#allForms >= FORMS.total || (client && ofClient >= FORMS.perClient)) {
      refuseTooMany(request, response, RETRY_AFTER_S);
      return;
    }
    this.#allForms++;
    this.#forms.set(client, ofClient + 1);
    response.once('close', () => {
      this.#allForms--;
      const left = (this.#forms.get(client) ?? 1) - 1;
      if (left > 0) this.#forms.set(client, left);
      else this.#forms.delete(client);
    });
    page();
  }
}

/** Renders a page and waits for its first byte. Sending the rest to a slow client costs no CPU time. */
function firstByteOf(response: ServerResponse, page: () => void): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const { writeHead } = response;
    response.writeHead = ((...args: Parameters<typeof writeHead>) => {
      resolve();
      return writeHead.apply(response, args);
    }) as typeof writeHead;
    response.once('close', resolve);
    page();
  });
}

const MESSAGES: Record<Language, typeof english> = { en: english, es: spanish };

/** Refuses a request over the rate limit without rendering a page. @param wait in seconds */
export function refuseTooMany(request: IncomingMessage, response: ServerResponse, wait: number): void {
  const seconds = Math.max(1, Math.ceil(wait));
  const { accept = '', 'accept-language': languages = '' } = request.headers;
  const language = acceptedLanguage(languages) ?? 'en';
  const { title, say } = MESSAGES[language];
  response.setHeader('retry-after', String(seconds));
  const isPage = accept.includes('text/html');
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  refuse(request, response, 429, isPage ? { title, say: say(seconds), language } : say(seconds), hasBody);
}
