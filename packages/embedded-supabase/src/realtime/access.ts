import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { Unavailable } from '../engine/errors.ts';
import { withLimits } from '../engine/work.ts';
import { FairSemaphore } from '../fair-semaphore.ts';
import { KEY_CLAIMS, type RequestVariables } from '../gateway/context.ts';
import type { Claims, Tokens } from '../tokens.ts';
import { AUTHORIZATION_QUERIES } from './limits.ts';
import { queryPermissions, type TopicPermissions } from './rights.ts';

/** API key of a client. */
export type KeyHolder = { key: string; holder: RequestVariables['Variables']['keyHolder'] };

export type Access = {
  /**
   * Claims of a token. Without one, or with an API key instead, claims of the API key.
   * @throws TokenRefused
   */
  claims(who: KeyHolder, token: string | undefined): Promise<Claims>;
  /**
   * Permissions on a private topic.
   * @param client the client network that waits for the answer
   * @throws as queryPermissions
   */
  rights(claims: Claims, topic: string, client: string | undefined): Promise<TopicPermissions>;
  /** Those whose turn has not come are not asked any more. */
  close(): void;
};

/** On a public topic every client has all permissions. */
export const EVERYTHING: TopicPermissions = {
  broadcast: { read: true, write: true },
  presence: { read: true, write: true },
};

export function openAccess(engine: Engine, tokens: Tokens): Access {
  const turns = new FairSemaphore({
    size: AUTHORIZATION_QUERIES,
    rejection: () => new Unavailable('The backend stops.'),
  });
  /** Queries that wait. A client with the same question shares the result. */
  const waiting = new Map<string, Promise<TopicPermissions>>();
  return {
    async claims({ key, holder }, token) {
      if (!token || token === key || token.startsWith('sb_')) return KEY_CLAIMS[holder];
      return tokens.verify(token);
    },
    async rights(claims, topic, client) {
      if (claims.role === 'service_role') return EVERYTHING;
      const question = JSON.stringify([claims, topic]);
      const same = waiting.get(question);
      if (same) return same;
      const answer = turns.run(client, async () => {
        // PGlite answers before the next socket is read: a crowd that comes at once must meet in one question.
        await nextTurn();
        waiting.delete(question);
        return withLimits({ client }, () => queryPermissions(engine, claims, topic));
      });
      waiting.set(question, answer);
      return answer;
    },
    close: () => turns.cancel(),
  };
}
