import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DEMO_PASSWORD, PEOPLE } from '../../src/lib/cli/demo/people.ts';
import { SERVER } from '../../src/lib/i18n/cli.ts';
import { anonClient, serviceClient } from '../support/backend.ts';
import { mailboxOf } from '../support/mail.ts';
import { type Child, startChild } from '../support/processes.ts';

/** The demo's reporter begins after 8 s on a machine without other load. */
const NEXT_UPDATE_MS = 55_000;

let folder: string;
let demo: Child<{ url: string }>;
let connection: { url: string; publishableKey: string; secretKey: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoppress-demo-test-'));
  // If the demo has to build, Node's compile cache must not add files to the folder.
  const environment = { PORT: '0', TMPDIR: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
  demo = await startChild(resolve('src/lib/cli/demo/demo.ts'), environment);
  const [dataFolder = ''] = await readdir(folder);
  connection = {
    ...JSON.parse(await readFile(join(folder, dataFolder, 'backend.json'), 'utf8')),
    url: demo.ready.url,
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const coverages = async () => {
  const { data } = await anonClient(connection)
    .from('coverages')
    .select('id, slug, state, pinned_update, summary, update_count');
  return data ?? [];
};

const updatesOf = async (id: string) => {
  // A visitor gets ten rows at a time.
  const { data } = await serviceClient(connection)
    .from('updates')
    .select('id, number, state, key_event, body, published_at, withdrawn_reason, update_bylines(person_id)')
    .eq('coverage_id', id)
    .order('number');
  return data ?? [];
};

test('creates a person for every role, who can sign in', async () => {
  for (const [role, { email, name }] of Object.entries(PEOPLE)) {
    const client = anonClient(connection);
    expect((await client.auth.signInWithPassword({ email, password: DEMO_PASSWORD })).error).toBeNull();
    expect((await client.rpc('get_me')).data).toMatchObject({ role, display_name: name });
  }
});

test('has an ended coverage with every kind of content', async () => {
  const ended = (await coverages()).find(({ state }) => state === 'ended');
  expect(ended).toMatchObject({ slug: 'apollo-11-landing', pinned_update: expect.any(String) });
  expect(ended?.summary).toHaveLength(3);
  const updates = await updatesOf(ended?.id);
  expect(updates.length).toBeGreaterThanOrEqual(40);
  expect(updates.filter(({ key_event }) => key_event).length).toBeGreaterThan(10);
  expect(updates.filter(({ state }) => state === 'withdrawn')).toMatchObject([
    { body: [], withdrawn_reason: expect.any(String) },
  ]);
  expect(updates.map(({ published_at }) => published_at).filter((at) => !/^1969-07-2[01]/.test(at))).toEqual(
    [],
  );
  const unsigned = updates.filter(({ update_bylines }) => update_bylines.length === 0);
  expect(unsigned.map(({ state }) => state).filter((state) => state !== 'withdrawn')).toEqual([]);
  const { data: notes } = await anonClient(connection)
    .from('update_notes')
    .select('kind')
    .in(
      'update_id',
      updates.map(({ id }) => id),
    );
  expect(notes?.map(({ kind }) => kind).sort()).toEqual(['clarification', 'correction']);
});

test('has new tips, one in review and one held', async () => {
  const client = anonClient(connection);
  await client.auth.signInWithPassword({ email: PEOPLE.moderator.email, password: DEMO_PASSWORD });
  expect((await client.rpc('tip_counts')).data).toMatchObject({ new: 2, mine: 1, held: 1 });
});

test('has a live coverage that gets new updates', { timeout: NEXT_UPDATE_MS + 5_000 }, async () => {
  const live = async () => (await coverages()).find(({ state }) => state === 'live');
  const before = (await live())?.update_count ?? 0;
  expect(before).toBeGreaterThanOrEqual(12);
  const expectNewUpdate = async () => expect((await live())?.update_count).toBeGreaterThan(before);
  await vi.waitFor(expectNewUpdate, { timeout: NEXT_UPDATE_MS, interval: 1_000 });
});

test('keeps its mails in a local mailbox, and their links work', async () => {
  const [, mailbox = ''] = /^Mails are shown at (\S+)$/m.exec(demo.output()) ?? [];
  expect(new URL(mailbox).origin).not.toBe(new URL(demo.ready.url).origin);
  expect((await fetch(`${demo.ready.url}/mailbox`)).status).toBe(404);

  const { email } = PEOPLE.reader;
  const client = anonClient(connection);
  expect((await client.auth.signInWithOtp({ email })).error).toBeNull();
  const { link } = await mailboxOf(new URL(mailbox).origin).next(email);
  expect(new URL(link).origin).toBe(demo.ready.url);
  expect((await fetch(link)).status).toBe(200);
  const { searchParams } = new URL(link);
  const verified = await client.auth.verifyOtp({
    token_hash: searchParams.get('token_hash') ?? '',
    type: 'email',
  });
  expect(verified.data.user?.email).toBe(email);
});

test('ends without errors and removes its files', async () => {
  // A busy machine answers slowly, and the log says so.
  const errors = demo.errors().split('\n');
  expect(errors.filter((line) => line && !line.startsWith(SERVER.slowRequest))).toEqual([]);
  process.kill(demo.pid, 'SIGINT');
  expect(await demo.stop()).toBe(0);
  expect(await readdir(folder)).toEqual([]);
});
