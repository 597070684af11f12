import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  queryPermissions,
  type TopicPermissions,
} from '../../../packages/embedded-supabase/src/realtime/access.ts';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { STATE_PATHS } from '../../support/actors.ts';
import { type Call, openTestDatabase, SERVER, type TestDatabase, VISITOR } from '../../support/database.ts';

/*
 * Permissions of each actor to receive and send on which private channel. The policies are tested directly, because a hosted
 * Realtime server does not check whether a session has ended.
 */

const COVERAGES = ['draft', 'scheduled', 'live', 'paused', 'ended', 'archived', 'withdrawn'] as const;

let database: TestDatabase;
let who: Record<string, Claims>;
const coverages = {} as Record<(typeof COVERAGES)[number], string>;

beforeAll(async () => {
  database = await openTestDatabase();
  const users = {
    reader: await database.createUser(),
    contributor: await database.createUser('contributor'),
    outsider: await database.createUser('contributor'),
    expired: await database.createUser('contributor'),
    reporter: await database.createUser('reporter'),
    moderator: await database.createUser('moderator'),
    editor: await database.createUser('editor'),
    owner: await database.createUser('owner'),
    demoted: await database.createUser('editor'),
    deactivated: await database.createUser('editor'),
    signedOut: await database.createUser('editor'),
    banned: await database.createUser('editor'),
    deleted: await database.createUser('editor'),
  };
  who = { visitor: VISITOR, ...users };
  for (const state of COVERAGES) {
    const coverage_id = randomUUID();
    coverages[state] = coverage_id;
    const content = { slug: `case-${coverage_id}`, headline: 'A case', starts_at: '2030-01-01T00:00:00Z' };
    await database.call(
      SERVER,
      ['create_coverage', { coverage_id, content }],
      ...(STATE_PATHS[state] ?? []).map((step): Call => ['set_coverage_state', { coverage_id, state: step }]),
      ['set_coverage_member', { coverage_id, person_id: users.contributor.sub }],
      [
        'set_coverage_member',
        { coverage_id, person_id: users.expired.sub, expires_at: '2020-01-01T00:00:00Z' },
      ],
    );
  }
  await database.call(SERVER, ['set_role', { person_id: users.demoted.sub, role: 'reader' }]);
  await database.call(SERVER, ['set_active', { person_id: users.deactivated.sub, active: false }]);
  await database.rows('delete from auth.sessions where user_id = $1', [users.signedOut.sub]);
  await database.rows("update auth.users set banned_until = now() + interval '1 day' where id = $1", [
    users.banned.sub,
  ]);
  await database.rows('delete from auth.users where id = $1', [users.deleted.sub]);
});
afterAll(() => database.close());

/** Evaluates the policies as a hosted project does, and rolls back. */
async function policiesSay(claims: Claims, topics: string[]): Promise<Map<string, TopicPermissions>> {
  const allowed = new Map<string, TopicPermissions>();
  const undone = new Error('Undone on purpose.');
  const asking = database.engine.transaction(async (session) => {
    for (const topic of topics) {
      const probes = await session.query<{ id: string }>(
        `insert into realtime.messages (topic, extension) values ($1, 'broadcast'), ($1, 'presence') returning id`,
        [topic],
      );
      await session.exec('savepoint asker');
      await session.query(
        `select set_config('request.jwt.claims', $2, true), set_config('realtime.topic', $3, true),
          set_config('role', $1, true)`,
        [claims.role, JSON.stringify(claims), topic],
      );
      const seen = await session.query<{ extension: string }>(
        'select extension from realtime.messages where id = any ($1::uuid[])',
        [`{${probes.rows.map(({ id }) => id)}}`],
      );
      const may = async (extension: string) => {
        await session.exec('savepoint trying');
        const adding = 'insert into realtime.messages (topic, extension) values ($1, $2)';
        const refusal = await session.query(adding, [topic, extension]).then(
          () => null,
          (error: { code: string }) => error.code,
        );
        await session.exec('rollback to savepoint trying');
        expect([null, '42501']).toContain(refusal);
        return refusal === null;
      };
      const right = async (extension: string) => ({
        read: seen.rows.some((row) => row.extension === extension),
        write: await may(extension),
      });
      allowed.set(topic, { broadcast: await right('broadcast'), presence: await right('presence') });
      await session.exec('rollback to savepoint asker');
    }
    throw undone;
  });
  await asking.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  return allowed;
}

const NOTHING: TopicPermissions = {
  broadcast: { read: false, write: false },
  presence: { read: false, write: false },
};
const HEARS: TopicPermissions = { ...NOTHING, broadcast: { read: true, write: false } };
const IS_THERE: TopicPermissions = {
  broadcast: { read: true, write: false },
  presence: { read: true, write: true },
};

const EVERYONE = [
  'visitor',
  'reader',
  'contributor',
  'outsider',
  'expired',
  'reporter',
  'moderator',
  'editor',
  'owner',
  'demoted',
  'deactivated',
  'signedOut',
  'banned',
  'deleted',
];
/** Actors whose tokens are no longer valid. */
const OUT = ['deactivated', 'signedOut', 'banned', 'deleted'];
const STAFF = ['contributor', 'reporter', 'moderator', 'editor', 'owner'];

/** Channel names of things that do not exist, similar to real ones. */
const unknown = () => {
  const { live } = coverages;
  return [
    'site',
    'tips:',
    'Tips',
    'tips ',
    'coverage',
    'coverage:',
    'coverage:live',
    `coverage:${randomUUID()}`,
    `coverage:${live.toUpperCase()}`,
    `coverage:${live} `,
    `coverage:${live}\n`,
    ` coverage:${live}`,
    `coverage:${live.replaceAll('-', '')}`,
    `coverage:{${live}}`,
    `Coverage:${live}`,
    `coverages:${live}`,
    live,
    'desk:',
    'desk:%',
    `desk:${randomUUID()}`,
    `desk:${live.toUpperCase()}`,
    `desk:${live}:${live}`,
    'person:',
    'person:null',
    `person:${randomUUID()}`,
    `site:${live}`,
    `'; select 1; --`,
    'é'.repeat(100),
  ];
};

describe.each(EVERYONE)('%s', (name) => {
  test('receives from public coverages and cannot send', async () => {
    const allowed = await policiesSay(
      who[name] as Claims,
      COVERAGES.map((state) => `coverage:${coverages[state]}`),
    );
    expect([...allowed.values()]).toEqual(
      COVERAGES.map((state) => (['draft', 'withdrawn'].includes(state) ? NOTHING : HEARS)),
    );
  });

  test('joins the desks of coverages that the role or membership allows', async () => {
    const allowed = await policiesSay(
      who[name] as Claims,
      COVERAGES.map((state) => `desk:${coverages[state]}`),
    );
    expect([...allowed.values()]).toEqual(COVERAGES.map(() => (STAFF.includes(name) ? IS_THERE : NOTHING)));
  });

  test('receives personal messages only', async () => {
    const { sub } = who[name] as Claims;
    const others = EVERYONE.filter((other) => other !== name && other !== 'visitor');
    const allowed = await policiesSay(who[name] as Claims, [
      `person:${sub}`,
      ...others.map((other) => `person:${who[other]?.sub}`),
    ]);
    const own = name === 'visitor' || OUT.includes(name) ? NOTHING : HEARS;
    expect([...allowed.values()]).toEqual([own, ...others.map(() => NOTHING)]);
  });

  test('joins the tip channel if the role handles tips', async () => {
    const allowed = await policiesSay(who[name] as Claims, ['tips']);
    const handles = ['moderator', 'editor', 'owner'].includes(name);
    expect([...allowed.values()]).toEqual([handles ? IS_THERE : NOTHING]);
  });

  test('gets no permission for things that do not exist', async () => {
    const topics = unknown();
    const allowed = await policiesSay(who[name] as Claims, topics);
    expect([...allowed]).toEqual(topics.map((topic) => [topic, NOTHING]));
  });

  test('cannot add or change messages', async () => {
    const topics = [
      'site',
      ...COVERAGES.flatMap((state) => [`coverage:${coverages[state]}`, `desk:${coverages[state]}`]),
    ];
    const all = () => database.rows('select * from realtime.messages order by position');
    const before = await all();
    const tried = topics.flatMap((topic) =>
      [
        `insert into realtime.messages (topic, extension, event, payload, private)
           values ('${topic}', 'broadcast', 'change', '{}', true)`,
        `update realtime.messages set payload = '{}'`,
        'delete from realtime.messages',
        `perform realtime.send('{}', 'change', '${topic}', true)`,
      ].map(
        (statement) => `perform set_config('realtime.topic', '${topic}', true);
          begin ${statement}; exception when insufficient_privilege then null; end;`,
      ),
    );
    await database.as(who[name] as Claims, (session) =>
      session.exec(`set local client_min_messages to error; do $$ begin ${tried.join('\n')} end $$`),
    );
    expect(await all()).toEqual(before);
  });
});

test.each(EVERYONE.filter((name) => !OUT.includes(name)))(
  '%s is told the same by our own server of messages',
  async (name) => {
    const topics = [
      `coverage:${coverages.live}`,
      `coverage:${coverages.draft}`,
      `desk:${coverages.draft}`,
      'site',
      'coverage:no-uuid',
    ];
    const allowed = await policiesSay(who[name] as Claims, topics);
    for (const topic of topics) {
      expect(await queryPermissions(database.engine, who[name] as Claims, topic)).toEqual(allowed.get(topic));
    }
  },
);

test.each(OUT)('%s is asked to sign in again by the embedded Realtime server', async (name) => {
  for (const topic of [`coverage:${coverages.live}`, `desk:${coverages.live}`, 'site']) {
    await expect(queryPermissions(database.engine, who[name] as Claims, topic)).rejects.toThrow('signed_out');
  }
});

test('the server receives and sends everywhere', async () => {
  for (const topic of ['site', `coverage:${coverages.draft}`, 'whatever']) {
    expect(await queryPermissions(database.engine, SERVER, topic)).toEqual({
      broadcast: { read: true, write: true },
      presence: { read: true, write: true },
    });
  }
});

test('permissions end with demotion, expiry and the end of the session', async () => {
  const topic = `desk:${coverages.live}`;
  const mine = async (claims: Claims) => (await policiesSay(claims, [topic])).get(topic);
  const editor = await database.createUser('editor');
  expect(await mine(editor)).toEqual(IS_THERE);
  await database.call(SERVER, ['set_role', { person_id: editor.sub, role: 'reader' }]);
  expect(await mine(editor)).toEqual(NOTHING);

  const contributor = await database.createUser('contributor');
  const member = { coverage_id: coverages.live, person_id: contributor.sub };
  await database.call(SERVER, ['set_coverage_member', member]);
  expect(await mine(contributor)).toEqual(IS_THERE);
  await database.call(SERVER, ['set_coverage_member', { ...member, expires_at: '2020-01-01T00:00:00Z' }]);
  expect(await mine(contributor)).toEqual(NOTHING);

  const reporter = await database.createUser('reporter');
  expect(await mine(reporter)).toEqual(IS_THERE);
  await database.rows("update auth.sessions set not_after = now() - interval '1 second' where user_id = $1", [
    reporter.sub,
  ]);
  expect(await mine(reporter)).toEqual(NOTHING);
});

test('only the database broadcasts: no policy allows it to clients', async () => {
  const policies = await database.rows(`
    select policyname as policy, cmd, roles::text, coalesce(qual, with_check) like '%broadcast%' as words
    from pg_policies where schemaname = 'realtime' order by policyname`);
  expect(policies).toEqual([
    { policy: 'authenticated: receive own broadcasts', cmd: 'SELECT', roles: '{authenticated}', words: true },
    {
      policy: 'everyone: receive broadcasts of public coverages',
      cmd: 'SELECT',
      roles: '{anon,authenticated}',
      words: true,
    },
    {
      policy: 'staff: receive broadcasts and presence of own desks',
      cmd: 'SELECT',
      roles: '{authenticated}',
      words: true,
    },
    {
      policy: 'staff: send presence to own desks',
      cmd: 'INSERT',
      roles: '{authenticated}',
      words: false,
    },
    {
      policy: 'tip handlers: receive broadcasts and presence of tips',
      cmd: 'SELECT',
      roles: '{authenticated}',
      words: true,
    },
    {
      policy: 'tip handlers: send presence to tips',
      cmd: 'INSERT',
      roles: '{authenticated}',
      words: false,
    },
  ]);
});
