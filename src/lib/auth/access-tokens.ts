import { Refused, refusal } from '../http/errors.ts';
import { fetchInTime } from '../http/fetch-in-time.ts';
import { onNews } from '../outbox/news.ts';
import { outbox as words } from '../text/outbox.ts';

/** Seconds before its end at which a token is no longer used, so that it does not end on the way. */
const MARGIN_S = 60;

export type AccessTokens = {
  /**
   * A token of this person's session.
   * @throws Refused `signed_out` without a session, `forbidden` when it is somebody else's, `unavailable`
   */
  get(): Promise<string>;
  /** To be called when a token was refused: the next one is asked for anew. */
  forget(): void;
};

/** The access tokens of one person, asked for when they are needed. A session of anybody else is not used. */
export function accessTokens(person: string): AccessTokens {
  let current: { token: string; until: number } | undefined;
  let asking: Promise<string> | undefined;

  async function ask(): Promise<string> {
    const answer = await fetchInTime('/api/token', { method: 'POST' }).catch(() => null);
    if (answer?.status === 401) throw new Refused(refusal('signed_out'));
    if (!answer?.ok) throw new Refused(refusal('unavailable'));
    const { access_token, expires_at } = await tokenIn(answer);
    if (subject(access_token) !== person) {
      throw new Refused(refusal('forbidden', { sentence: words.someoneElse }));
    }
    current = { token: access_token, until: expires_at - MARGIN_S };
    return access_token;
  }

  // Who has signed out in another tab is signed out in this one too.
  onNews(({ of }) => {
    if (of === 'device') current = undefined;
  });

  return {
    async get() {
      if (current && Date.now() / 1000 < current.until) return current.token;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    forget() {
      current = undefined;
    },
  };
}

/** A line may answer with a page of its own. @throws Refused `unavailable` */
async function tokenIn(answer: Response): Promise<{ access_token: string; expires_at: number }> {
  const said: unknown = await answer.json().catch(() => null);
  const isToken = typeof said === 'object' && said !== null && 'access_token' in said;
  if (!isToken) throw new Refused(refusal('unavailable'));
  return said as { access_token: string; expires_at: number };
}

/** Whose token it is. It is not checked here: the backend does that. */
function subject(token: string): unknown {
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
  return (JSON.parse(atob(payload)) as { sub?: unknown }).sub;
}
