import { fetchWithTimeout } from '../../lib/data/fetch-timeout.ts';
import { Refused } from '../../lib/i18n/refusals.ts';
import { onOutboxEvent } from './broadcast.ts';

/** Seconds before its expiry at which a token is no longer used, so that it does not expire in transit. */
const MARGIN_S = 60;

export type AccessTokens = {
  /**
   * Returns a token of this person's session.
   * @throws Refused `signed_out` without a session, `forbidden` for another person's session, `unavailable`
   */
  get(): Promise<string>;
  /** Call when a token was rejected: the next call requests another one. */
  forget(): void;
};

/** Access tokens of one person, requested when needed. A session of another person is not used. */
export function accessTokens(person: string): AccessTokens {
  let cached: { token: string; until: number } | undefined;
  let pending: Promise<string> | undefined;

  async function request(): Promise<string> {
    const response = await fetchWithTimeout('/api/token', { method: 'POST' }).catch(() => null);
    if (response?.status === 401) throw new Refused('signed_out');
    if (!response?.ok) throw new Refused('unavailable');
    const { access_token, expires_at } = await tokenIn(response);
    if (subject(access_token) !== person) {
      throw new Refused('forbidden', { message: ({ outbox }) => outbox.someoneElse });
    }
    cached = { token: access_token, until: expires_at - MARGIN_S };
    return access_token;
  }

  // Signing out in another tab signs this tab out too.
  onOutboxEvent(({ type }) => {
    if (type === 'device') cached = undefined;
  });

  return {
    async get() {
      if (cached && Date.now() / 1000 < cached.until) return cached.token;
      pending ??= request().finally(() => {
        pending = undefined;
      });
      return pending;
    },
    forget() {
      cached = undefined;
    },
  };
}

/**
 * A captive portal may answer with a page of its own.
 * @throws Refused `unavailable`
 */
async function tokenIn(response: Response): Promise<{ access_token: string; expires_at: number }> {
  const body: unknown = await response.json().catch(() => null);
  const isToken = typeof body === 'object' && body !== null && 'access_token' in body;
  if (!isToken) throw new Refused('unavailable');
  return body as { access_token: string; expires_at: number };
}

/** Subject of a token. The signature is not checked here; the backend checks it. */
function subject(token: string): unknown {
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
  return (JSON.parse(atob(payload)) as { sub?: unknown }).sub;
}
