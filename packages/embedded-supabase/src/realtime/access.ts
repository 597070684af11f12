import { setImmediate as nextTurn } from 'node:timers/promises';
import { Semaphore } from 'async-mutex';
import type { Engine } from '../engine/engine.ts';
import { Unavailable } from '../engine/unavailable.ts';
import type { Claims } from '../gateway/claims.ts';
import { KEY_CLAIMS, type RequestVariables } from '../gateway/context.ts';
import type { Tokens } from '../tokens.ts';
import { AUTHORIZATION_QUERIES } from './limits.ts';
import { queryPermissions, type TopicPermissions } from './rights.ts';

/** The API key that somebody came with. */
export type KeyHolder = { key: string; holder: RequestVariables['Variables']['keyHolder'] };

export type Access = {
  /**
   * Whose token this is. Without one, or with an API key in its place, whom their own key stands for.
   * @throws TokenRefused
   */
  claims(who: KeyHolder, token: string | undefined): Promise<Claims>;
  /** What somebody may do on a private topic. @throws as askRights */
  rights(claims: Claims, topic: string): Promise<TopicPermissions>;
  /** Those whose turn has not come are not asked any more. */
  close(): void;
};

/** On a public topic everybody may do everything. */
export const EVERYTHING: TopicPermissions = {
  broadcast: { read: true, write: true },
  presence: { read: true, write: true },
};

export function openAccess(engine: Engine, tokens: Tokens): Access {
  const turns = new Semaphore(AUTHORIZATION_QUERIES, new Unavailable('The backend stops.'));
  /** Those that wait for their turn: whoever has the same one waits along, and gets an answer that is no older. */
  const waiting = new Map<string, Promise<TopicPermissions>>();
  return {
    async claims({ key, holder }, token) {
      if (!token || token === key || token.startsWith('sb_')) return KEY_CLAIMS[holder];
      return tokens.verify(token);
    },
    async rights(claims, topic) {
      if (claims.role === 'service_role') return EVERYTHING;
      const question = JSON.stringify([claims, topic]);
      const same = waiting.get(question);
      if (same) return same;
      const answer = turns.runExclusive(async () => {
        // PGlite answers before the next socket is read: a crowd that comes at once must meet in one question.
        await nextTurn();
        waiting.delete(question);
        return queryPermissions(engine, claims, topic);
      });
      waiting.set(question, answer);
      return answer;
    },
    close: () => turns.cancel(),
  };
}
