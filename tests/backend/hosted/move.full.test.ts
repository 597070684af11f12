import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { anonClient, serviceClient } from '../../support/backend.ts';
import {
  dataEnvironment,
  ENGINE,
  newDataFolder,
  removeData,
  siteSettings,
} from '../../support/data-folders.ts';
import {
  type Hosted,
  migrateHosted,
  type Project,
  startHosted,
  withConnection,
} from '../../support/hosted/hosted.ts';
import { createAccount } from '../../support/newsroom.ts';
import { PIXEL } from '../../support/photos.ts';
import { findPostgres } from '../../support/postgres-cluster.ts';
import { type BackendProcess, COMPILE_CACHE, StartError, startProcess } from '../../support/processes.ts';
import { createRichCoverage, SLUG } from '../../support/seeded-newsroom.ts';

/* Moves a newsroom to a database prepared like a hosted project, with an embedded backend for its services. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const MOVE = resolve('src/lib/cli/data.ts');

describe.skipIf(ENGINE !== 'postgres')('npm run move', () => {
  let hosted: Hosted;
  let folder: string;
  /** The environment of the newsroom that moves. */
  let source: Record<string, string>;
  let project: Project;
  let services: BackendProcess;
  const running = new Set<BackendProcess>();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stoppress-move-'));
    hosted = await startHosted(findPostgres() ?? '');
    project = await hosted.project('project');
    await migrateHosted(project);
    // PGlite has another PostgreSQL version with another collation.
    source = {
      EMBEDDED_SUPABASE_DATA: join(folder, 'here'),
      EMBEDDED_SUPABASE_BACKUPS: join(folder, 'backups'),
      EMBEDDED_SUPABASE_BACKUP_AT: 'off',
    };
    services = await start({
      EMBEDDED_SUPABASE_DATA: join(folder, 'services'),
      DATABASE_URL: project.adminUrl,
    });
  });
  afterAll(async () => {
    for (const one of running) await one.kill();
    await hosted?.end();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(environment: Record<string, string>): Promise<BackendProcess> {
    const backend = await startProcess(environment);
    running.add(backend);
    return backend;
  }

  async function move(more: Record<string, string> = {}, to = services.url, args = ['--to', to]) {
    const env = {
      PATH: process.env.PATH,
      ...COMPILE_CACHE,
      ...siteSettings(source),
      MOVE_SECRET_KEY: services.secretKey,
      MOVE_DATABASE_URL: project.url,
      ...siteSettings(more),
    };
    return new Promise<{ code: number; said: string; errors: string }>((done) => {
      execFile(process.execPath, [MOVE, 'move', ...args], { env, cwd: folder }, (error, said, errors) =>
        done({ code: error ? Number(error.code) : 0, said, errors }),
      );
    });
  }

  /** Row counts of the project, as its administrator. */
  const counts = () =>
    withConnection(project.adminUrl, async (sql) => {
      const [row] = await sql<Record<'people' | 'updates' | 'files', number>[]>`
        select (select count(*)::int from auth.users) as people, (select count(*)::int from public.updates) as updates,
          (select count(*)::int from storage.objects) as files`;
      return row;
    });

  /** Everything that readers see. */
  async function published(backend: BackendProcess) {
    const client = anonClient(backend);
    const rows = async (table: string, columns: string, order: string, updates?: string[]) => {
      const query = client.from(table).select(columns).order(order);
      const { data: row, error } = await (updates ? query.in('update_id', updates) : query);
      expect(error).toBeNull();
      return row as unknown as { id: string }[];
    };
    const updates = await rows(
      'updates',
      'id, number, headline, body, state, version, seq, published_at',
      'number',
    );
    const ids = updates.map(({ id }) => id);
    return {
      updates,
      changes: await rows('coverage_changes', 'seq, update_id, kind', 'seq'),
      history: await rows('update_history', '*', 'version', ids),
      search: (await client.rpc('search', { filters: { q: 'puente' } })).data,
    };
  }

  test.each([
    ['without a key', { MOVE_SECRET_KEY: '' }, 'Set MOVE_SECRET_KEY'],
    ['without a database', { MOVE_DATABASE_URL: '' }, 'Set MOVE_DATABASE_URL'],
    ['without a newsroom', {}, 'There is no newsroom in'],
  ])('refuses to run %s, with a sentence without secrets', async (_, more, sentence) => {
    const { code, errors } = await move(more);
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining(sentence) });
    expect(errors).not.toMatch(/s3cret|sb_secret|\n.*at /);
  });

  test('copies files of a running newsroom first, then everything of a stopped one', async () => {
    const before = await start(source);
    await createRichCoverage({ ...before, data: source.EMBEDDED_SUPABASE_DATA ?? '' });
    const member = await createAccount({ service: serviceClient(before) });
    const was = await published(before);
    expect(Object.keys(await photos(before)).length).toBeGreaterThan(2);
    const [leftover, replaced] = ['incoming/leftover', 'incoming/replaced'];
    const bucket = serviceClient(before).storage.from('photos');
    const png = { contentType: 'image/png' };
    for (const name of [leftover, replaced]) expect((await bucket.upload(name, PIXEL, png)).error).toBeNull();

    // A broken connection to storage loses nothing.
    const cutting = await cutAfter(services.url, 2);
    const cut = await move({}, cutting.url);
    cutting.server.close();
    expect(cut).toMatchObject({ code: 1, errors: expect.stringContaining('Run this again to continue') });

    const ahead = await move();
    expect(ahead).toMatchObject({ code: 0, said: expect.stringContaining('only its files were copied') });
    expect(await counts()).toMatchObject({
      people: 0,
      updates: 0,
      files: expect.toSatisfy((n: number) => n > 2),
    });
    // A photo that was deleted meanwhile is not copied, and one that was replaced is copied again.
    await bucket.remove([leftover]);
    const newer = Buffer.concat([PIXEL, Buffer.from('newer')]);
    expect((await bucket.upload(replaced, newer, { ...png, upsert: true })).error).toBeNull();
    const pictures = await photos(before);
    await before.stop();

    const done = await move();
    expect(done, done.errors).toMatchObject({
      code: 0,
      said: expect.stringMatching(/was moved to .* and compared/),
    });
    expect(done.said).toMatch(/public\.updates +\d+ rows +[0-9a-f]{16}/);
    expect(done.said).toMatch(/files +\d+ files +[0-9a-f]{16} +\(.*, 1 of them now\)/);

    // Readers see the same, and no alerts were sent.
    expect(await published(services)).toEqual(was);
    expect(await photos(services)).toEqual(pictures);
    await withConnection(project.adminUrl, async (sql) => {
      expect(await sql`select from realtime.messages`).toHaveLength(0);
      const [account] =
        await sql`select instance_id, confirmation_token, recovery_token, email_change from auth.users limit 1`;
      expect(account).toEqual({
        instance_id: '00000000-0000-0000-0000-000000000000',
        confirmation_token: '',
        recovery_token: '',
        email_change: '',
      });
    });
    const client = anonClient(services);
    expect((await client.auth.signInWithPassword(member)).error).toBeNull();
    const old = serviceClient(services);
    const { data: coverage } = await old.from('coverages').select('id, seq').eq('slug', SLUG).single();

    // The old newsroom cannot be started, and moving again creates no duplicates.
    const refused = await start(source).catch((error: Error) => error);
    expect(refused).toBeInstanceOf(StartError);
    expect(String(refused)).toContain('moved to');
    const held = await counts();
    const again = await move();
    expect(again).toMatchObject({
      code: 0,
      said: expect.stringContaining('before. The newsroom no longer starts here'),
    });
    expect(await counts()).toEqual(held);
    expect((await old.from('coverages').select('id, seq').eq('slug', SLUG).single()).data).toEqual(coverage);
  });

  /** Names of all photo files. */
  async function photos(backend: BackendProcess): Promise<Record<string, string>> {
    const bucket = serviceClient(backend).storage.from('photos');
    const { data: listed } = await bucket.listV2({ prefix: '', limit: 1000 });
    const row = (listed?.objects ?? []).map(async ({ name }) => {
      const { data: bytes } = await bucket.download(name);
      return [name, bytes ? Buffer.from(await bytes.arrayBuffer()).toString('base64') : ''];
    });
    return Object.fromEntries(await Promise.all(row));
  }

  test('refuses a project with other data or other migrations', async () => {
    const data = await newDataFolder();
    const other: Record<string, string> = dataEnvironment(data);
    /** Each attempt has its own folder, because two backups of the same second would have one name. */
    const attempt = (backups: string, more: Record<string, string> = {}) =>
      move({ ...other, EMBEDDED_SUPABASE_BACKUPS: join(folder, backups), ...more });
    await withConnection(
      other.DATABASE_URL ?? '',
      (sql) => sql`update public.site set feed_id = gen_random_uuid()`,
    );
    const away = await attempt('away', {
      MOVE_DATABASE_URL: 'postgres://postgres:s3cret@127.0.0.1:1/x',
    });
    expect(away).toMatchObject({
      code: 1,
      errors: expect.stringContaining('cannot be reached (ECONNREFUSED)'),
    });
    expect(away.errors).not.toMatch(/s3cret|sb_secret|\n.*at /);
    const full = await attempt('full');
    expect(full).toMatchObject({ code: 1, errors: expect.stringContaining('another newsroom') });
    const elsewhere = await hosted.project('elsewhere');
    const bare = await attempt('bare', { MOVE_DATABASE_URL: elsewhere.url });
    expect(bare).toMatchObject({ code: 1, errors: expect.stringContaining('was not migrated with') });
    expect(bare.errors).toContain('supabase db push');
    await removeData(data);
  });
});

/** A proxy in front of a project's services that breaks connections after a number of uploads. */
async function cutAfter(url: string, uploads: number): Promise<{ url: string; server: Server }> {
  let left = uploads;
  const server = createServer(async (request, response) => {
    if (request.method === 'POST' && request.url?.startsWith('/storage/v1/object/photos') && left-- <= 0) {
      return void request.destroy();
    }
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(`${url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
