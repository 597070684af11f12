import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, serviceClient } from '../../../support/backend.ts';
import { ENGINE, ENGINES, testDataFolders } from '../../../support/data-folders.ts';
import { call, createNewsroom, type Newsroom, type SavedUpdate } from '../../../support/newsroom.ts';
import { type BackendProcess, runDataProgram, startProcess } from '../../../support/processes.ts';
import { allRows, findInconsistencies } from '../../../support/stored-data.ts';

const WRITERS = 3;

/** Files with unusual contents, by path. */
const FILES: Record<string, Buffer> = {
  'photos/00/large': randomBytes(3_000_000),
  'photos/ff/empty': Buffer.alloc(0),
  [`photos/${'long-'.repeat(30)}/Überschwemmung 1.jpg`]: randomBytes(70_001),
};

const { migrated, missing, remove: forget } = testDataFolders();
const running: BackendProcess[] = [];
let backups: string;
beforeAll(async () => {
  backups = await mkdtemp(join(tmpdir(), 'stoppress-backups-'));
});
afterAll(async () => {
  for (const backend of running) await backend.kill();
  await forget();
  await rm(backups, { recursive: true, force: true });
});

async function start(environment: Record<string, string>) {
  const backend = await startProcess(environment);
  running.push(backend);
  return Object.assign(backend, { service: serviceClient(backend) });
}

/** Starts people who publish and revise without a pause. Records each acknowledged write. */
function write({ people, coverage }: Newsroom) {
  const acknowledged = new Map<string, { headline: string; version: number }>();
  let goOn = true;
  const writer = async (number: number) => {
    const { client } = people[number % 2 ? 'reporter' : 'editor'];
    for (let i = 0; goOn; i++) {
      const content = {
        headline: `${number} ${i}`,
        body: [{ type: 'paragraph', runs: [{ text: 'Rising.' }] }],
      };
      const where = { coverage_id: coverage.id, update_id: randomUUID(), content };
      const { id, version } = await call<SavedUpdate>(client, 'publish_update', where);
      acknowledged.set(id, { headline: content.headline, version });
      if (i % 3) continue;
      content.headline += ' again';
      const revised = await call<SavedUpdate>(client, 'revise_update', { update_id: id, version, content });
      acknowledged.set(id, { headline: content.headline, version: revised.version });
    }
  };
  const done = Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number)));
  return {
    acknowledged,
    async stop() {
      goOn = false;
      await done;
    },
  };
}

test.each(ENGINES)(
  'a backup of %s during writes contains every acknowledged write completely, and every file',
  async (from) => {
    const place = from === ENGINE ? await migrated() : await missing(from);
    const backend = await start(place.environment);
    const newsroom = await createNewsroom(backend);
    for (const [path, content] of Object.entries(FILES)) {
      const whole = join(place.data, 'files', path);
      await mkdir(dirname(whole), { recursive: true });
      await writeFile(whole, content);
    }

    const writing = write(newsroom);
    await expect.poll(() => writing.acknowledged.size, { timeout: 20_000, interval: 5 }).toBeGreaterThan(30);
    const before = new Map(writing.acknowledged);
    const { exitCode, errors, report } = await runDataProgram(
      'backup',
      place.environment,
      join(backups, 'new/'),
    );
    const during = writing.acknowledged.size - before.size;
    await writing.stop();
    expect([exitCode, errors]).toEqual([0, '']);
    expect(during).toBeGreaterThan(0);
    expect(report?.files).toBe(Object.keys(FILES).length);
    expect(backend.errors()).toBe('');

    // The Vitest project for PGlite tests restores from PGlite to PGlite.
    for (const engine of ENGINES.filter((to) => [from, to].includes(ENGINE))) {
      const other = await missing(engine);
      const restored = await runDataProgram('restore', other.environment, report?.path ?? '');
      expect([restored.exitCode, restored.errors]).toEqual([0, '']);
      expect(restored.report).toMatchObject({ rows: report?.rows, files: report?.files, replacedData: [] });

      const there = await start(other.environment);
      await expectWritten(there, newsroom, before);
      for (const [path, content] of Object.entries(FILES)) {
        expect((await readFile(join(other.data, 'files', path))).equals(content), path).toBe(true);
      }
      expect(await there.stop()).toBe(0);
    }
  },
  180_000,
);

type There = Awaited<ReturnType<typeof start>>;

/** Checks that all writes are complete, and that people can continue. */
async function expectWritten(
  there: There,
  { people, coverage }: Newsroom,
  before: Map<string, { headline: string; version: number }>,
) {
  type Revision = { update_id: string; version: number; content: { headline: string } };
  const columns = 'update_id, version, content';
  const rows = await allRows<Revision>(there.service, 'update_revisions', columns, 'update_id', 'version');
  const headlines = new Map(
    rows.map(({ update_id, version, content }) => [`${update_id} ${version}`, content.headline]),
  );
  const missing = [...before].filter(([id, one]) => headlines.get(`${id} ${one.version}`) !== one.headline);
  expect(missing).toEqual([]);
  expect(await findInconsistencies(there.service)).toEqual([]);

  const reporter = anonClient(there);
  const { email, password } = people.reporter;
  expect((await reporter.auth.signInWithPassword({ email, password })).error).toBeNull();
  const { data: last } = await there.service
    .from('coverages')
    .select('update_count')
    .eq('id', coverage.id)
    .single();
  const next = await call<SavedUpdate>(reporter, 'publish_update', {
    coverage_id: coverage.id,
    update_id: randomUUID(),
    content: { body: [{ type: 'paragraph', runs: [{ text: 'Still here.' }] }] },
  });
  expect(next.number).toBe(last?.update_count + 1);
}

test('a backup is readable by its owner only, and contains no keys or sessions', async () => {
  const place = await migrated();
  const backend = await start(place.environment);
  const { people } = await createNewsroom(backend);
  const { data } = await people.owner.client.auth.getSession();
  const path = join(backups, 'private/one.tar.gz');
  expect(await runDataProgram('backup', place.environment, path)).toMatchObject({ exitCode: 0 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);

  const refresh_token = data.session?.refresh_token ?? '';
  const inside = gunzipSync(await readFile(path));
  expect(inside.includes(people.owner.email), 'the backup contains the address of the owner').toBe(true);
  const secrets = { secretKey: backend.secretKey, refresh_token };
  for (const [name, secret] of Object.entries(secrets))
    expect(inside.includes(secret), `the backup contains ${name}`).toBe(false);

  const other = await missing();
  await runDataProgram('restore', other.environment, path);
  const there = await start(other.environment);
  expect((await anonClient(there).auth.refreshSession({ refresh_token })).error).not.toBeNull();
  // The session continues in the original newsroom.
  expect((await anonClient(backend).auth.refreshSession({ refresh_token })).error).toBeNull();
});
