import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import {
  addTip,
  type Call,
  createCoverageIn,
  openTestDatabase,
  SERVER,
  type TestDatabase,
} from '../../support/database.ts';

/* Possible commands for a tip by state and role. Refused commands change nothing. */

type Person = Claims & { sub: string };

export let database: TestDatabase;

export const who = {} as Record<string, Person>;

export let coverage: { coverage_id: string; slug: string };

export const OTHERS = ['reader', 'contributor', 'reporter', 'demoted', 'deactivated'];

export const me = (name: string) => who[name] as Person;

export type State = 'new' | 'held' | 'mine' | 'theirs' | 'used' | 'declined' | 'spam';

/** A tip in a state. `mine` is held by the moderator, `theirs` by a colleague. @returns its id and version */
export async function tipIn(state: State, content: object = {}) {
  const { id } = await addTip(database, {
    content: { coverage: coverage.slug, website: state === 'held' ? 'x' : null, ...content },
  });
  const act = (name: string, call: Call) =>
    database.call(me(name), call) as Promise<{ id: string; version: number }>;
  const seen = { tip_id: id, version: 1 };
  if (state === 'mine') return act('moderator', ['review_tip', seen]);
  if (state === 'theirs') return act('colleague', ['review_tip', seen]);
  if (state === 'used') return act('moderator', ['use_tip', { ...seen, ...newUpdate() }]);
  if (state === 'declined' || state === 'spam') return act('moderator', ['close_tip', { ...seen, state }]);
  return { id, version: 1 };
}

export const newUpdate = () => ({
  coverage_id: coverage.coverage_id,
  update_id: randomUUID(),
  content: { quote: 'It broke.' },
});

export const seen = ({ id, version }: { id: string; version: number }) => ({ tip_id: id, version });

export const STATES: State[] = ['new', 'held', 'mine', 'theirs', 'used', 'declined', 'spam'];

/** Prepares a database with people and a coverage for the tests of a file. */
export function useTipDatabase(): void {
  beforeAll(async () => {
    database = await openTestDatabase();
    coverage = await createCoverageIn(database, 'live');
    for (const role of ['reader', 'contributor', 'reporter', 'moderator', 'editor', 'owner'] as const) {
      who[role] = await database.createUser(role);
    }
    who.colleague = await database.createUser('moderator');
    await database.rows(`update public.people set display_name = 'Cole' where id = $1`, [who.colleague.sub]);
    const { coverage_id } = coverage;
    const member = { coverage_id, person_id: who.contributor?.sub };
    await database.call(SERVER, ['set_coverage_member', member]);
    who.demoted = await database.createUser('moderator');
    await database.call(SERVER, ['set_role', { person_id: who.demoted.sub, role: 'reporter' }]);
    who.deactivated = await database.createUser('moderator');
    await database.call(SERVER, ['set_active', { person_id: who.deactivated.sub, active: false }]);
  });
  afterAll(() => database.close());
}
