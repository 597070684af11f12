import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { anonClient, serviceClient, startBackend, type TestBackend } from './backend.ts';
import { type Account, call, createAccount, paragraph } from './newsroom.ts';

/** Actors with different permissions. All except the visitor sign in before they get their role and state. */
export const ACTOR_NAMES = [
  'visitor',
  'reader',
  /** Contributor of the coverages that `createSharedCoverage` creates. */
  'contributor',
  /** Contributor of another coverage. */
  'outsider',
  /** Contributor whose membership has expired. */
  'expired',
  'reporter',
  /** Another reporter. */
  'colleague',
  'moderator',
  'editor',
  'owner',
  /** An editor who was deactivated after signing in. */
  'deactivated',
] as const;
export type ActorName = (typeof ACTOR_NAMES)[number];

const ROLES: Record<Exclude<ActorName, 'visitor'>, string> = {
  reader: 'reader',
  contributor: 'contributor',
  outsider: 'contributor',
  expired: 'contributor',
  reporter: 'reporter',
  colleague: 'reporter',
  moderator: 'moderator',
  editor: 'editor',
  owner: 'owner',
  deactivated: 'editor',
};

export type Actor = { id: string | null; client: SupabaseClient };

export type TestContext = {
  backend: TestBackend;
  /** Client with the secret key, which passes every policy. */
  service: SupabaseClient;
  actors: Record<ActorName, Actor>;
  stop(): Promise<unknown>;
};

/**
 * Starts a backend on a new database and creates one person for each actor through the public interfaces.
 * @param given backend to use instead of a new one
 */
export async function openTestContext(given?: TestBackend): Promise<TestContext> {
  const backend = given ?? (await startBackend());
  const service = serviceClient(backend);
  const actors = { visitor: { id: null, client: anonClient(backend) } } as Record<ActorName, Actor>;
  for (const [who, role] of Object.entries(ROLES)) {
    const account = await createAccount({ service });
    actors[who as ActorName] = { id: account.id, client: await signInClient(backend, account) };
    if (role !== 'reader') await call(service, 'set_role', { person_id: account.id, role });
  }
  await call(service, 'set_active', { person_id: actors.deactivated.id, active: false });
  const otherCoverage = await createCoverage(service);
  await call(service, 'set_coverage_member', { coverage_id: otherCoverage, person_id: actors.outsider.id });
  return { backend, service, actors, stop: () => backend.stop() };
}

async function signInClient(backend: TestBackend, { email, password }: Account): Promise<SupabaseClient> {
  const client = anonClient(backend);
  const { error } = await client.auth.signInWithPassword({ email, password });
  if (error) throw error;
  return client;
}

export type TestUser = Awaited<ReturnType<typeof createUser>>;

/** Creates a person with a role, a name and a bio, for tests that sign in again, change or delete a person. */
export async function createUser(
  { backend, service }: TestContext,
  role = 'reader',
  display_name = 'Ada Löve',
) {
  const account = await createAccount({ service });
  const signIn = () => signInClient(backend, account);
  const client = await signIn();
  if (role !== 'reader') await call(service, 'set_role', { person_id: account.id, role });
  await call(client, 'save_me', { content: { display_name, bio: 'Reports on rivers.' } });
  return { ...account, client, signIn };
}

/** Creates a coverage and moves it to a state. @returns its id */
export async function createCoverage(service: SupabaseClient, state = 'live', content: object = {}) {
  const coverage_id = randomUUID();
  await call(service, 'create_coverage', {
    coverage_id,
    content: {
      slug: `case-${coverage_id}`,
      headline: 'A case',
      starts_at: '2030-01-01T00:00:00Z',
      ...content,
    },
  });
  for (const step of STATE_PATHS[state] ?? []) {
    await call(service, 'set_coverage_state', { coverage_id, state: step });
  }
  return coverage_id;
}

/** The shortest sequence of state changes that leads a new coverage to each state. */
export const STATE_PATHS: Record<string, string[]> = {
  draft: [],
  scheduled: ['scheduled'],
  live: ['live'],
  paused: ['live', 'paused'],
  ended: ['live', 'ended'],
  archived: ['live', 'ended', 'archived'],
  withdrawn: ['live', 'withdrawn'],
};

/**
 * Creates a coverage with the contributor as a member and the expired contributor as a former member.
 * @returns its id
 */
export async function createSharedCoverage({ service, actors }: TestContext, state = 'live') {
  const coverage_id = await createCoverage(service, state);
  for (const [who, expires_at] of [
    ['contributor', null],
    ['expired', '2020-01-01T00:00:00Z'],
  ] as const) {
    await call(service, 'set_coverage_member', { coverage_id, person_id: actors[who].id, expires_at });
  }
  return coverage_id;
}

/** Returns the content of an update: one paragraph and the fields in `more`. */
export const contentOf = (text: string, more: object = {}) => ({ body: [paragraph(text)], ...more });

/**
 * The result of a call. `code` is `ok`, an error code of the product, `denied` for SQLSTATE 42501, or another
 * SQLSTATE.
 */
export type Outcome = {
  code: string;
  status: number;
  field?: string;
  /** Reason and parameters of the error. */
  details?: Record<string, unknown>;
  result?: Record<string, unknown>;
};

/** Calls a database function with a new idempotency key, unless `args` has one. Never throws. */
export async function tryCall(
  client: SupabaseClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Outcome> {
  const { data, error, status } = await client.rpc(name, { idempotency_key: randomUUID(), ...args });
  if (!error) return { code: 'ok', status, result: data };
  if (error.code === '42501') return { code: 'denied', status };
  // The product's errors carry their code as message. Any other code is an unexpected error of PostgreSQL.
  const code = error.code.startsWith('PT') ? error.message : error.code;
  const details = error.code.startsWith('PT') ? JSON.parse(error.details || '{}') : {};
  return { code, status, field: details.field, details };
}

/** Reads all rows of a coverage, to check that a call changed nothing. */
export async function readCoverageRows(service: SupabaseClient, coverage_id: string) {
  const rows = async (table: string, column: string, ...order: string[]) => {
    let query = service.from(table).select('*').eq(column, coverage_id);
    for (const by of order) query = query.order(by);
    const { data, error } = await query;
    if (error) throw new Error(`${table}: ${error.message}`);
    return data;
  };
  const [coverage, topics, slugs, members, versions, changes, updates, revisions, photos, media] =
    await Promise.all([
      rows('coverages', 'id'),
      rows('coverage_topics', 'coverage_id', 'topic_id'),
      rows('coverage_slugs', 'coverage_id', 'slug'),
      rows('coverage_members', 'coverage_id', 'person_id'),
      rows('coverage_revisions', 'coverage_id', 'version'),
      rows('coverage_changes', 'coverage_id', 'seq'),
      rows('desk_updates', 'coverage_id', 'id'),
      rows('desk_revisions', 'coverage_id', 'update_id', 'version'),
      rows('photos', 'coverage_id', 'id'),
      rows('media_files', 'coverage_id', 'id'),
    ]);
  return { coverage, topics, slugs, members, versions, changes, updates, revisions, photos, media };
}
