import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { ENGINE } from '../../support/data-folders.ts';
import { SERVER, VISITOR } from '../../support/database.ts';
import { fileBlock } from '../../support/media.ts';
import { paragraph } from '../../support/newsroom.ts';
import {
  callAs,
  colleague,
  coverage_id,
  database,
  editor,
  makeCoverage,
  type Person,
  publish,
  reporter,
  save,
  usePhotoDatabase,
} from './photo-context.ts';

/* Video and audio files: registration, use in updates, visibility and deletion. */

usePhotoDatabase();

const BYTES = 12_000;

async function register(who = reporter, args: object = {}) {
  const file_id = randomUUID();
  await callAs(who, 'save_media_file', { file_id, coverage_id, format: 'mp4', ...args });
  return file_id;
}

/** Registers and checks a file. @returns its id and its path */
async function ready(who = reporter, args?: object) {
  const id = await register(who, args);
  const { path } = await callAs(SERVER, 'record_media_check', { file_id: id, bytes: BYTES });
  return { id, path: String(path) };
}

const rowOf = async (id: string) =>
  (await database.rows('select * from public.media_files where id = $1', [id]))[0];
const stateOf = async (who: Claims | undefined, id: string) =>
  (await callAs(who ?? VISITOR, 'read_media_file', { file_id: id }))?.state;
const showing = (...paths: string[]) => ({
  body: [paragraph('Look.'), ...paths.map((path) => fileBlock(path))],
});
const usesOf = (id: string) =>
  database.rows('select update_id from public.update_media where file_id = $1', [id]);

/** The error of a refused call, with its reason. */
async function refusalOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  const error: { message: string; detail?: string } = await work.then(
    () => ({ message: 'The call succeeded.' }),
    (error) => error,
  );
  return { code: error.message, ...JSON.parse(error.detail ?? '{}') };
}

describe('a file', () => {
  test('is registered, checked, and has a path with its size and length', async () => {
    const id = await register(reporter, { seconds: 94 });
    expect(await rowOf(id)).toMatchObject({
      format: 'mp4',
      seconds: 94,
      bytes: null,
      uploaded_by: reporter?.sub,
    });
    expect(await callAs(SERVER, 'record_media_check', { file_id: id, bytes: BYTES })).toEqual({
      id,
      format: 'mp4',
      bytes: BYTES,
      state: 'ready',
      refusal_code: null,
      path: `/media/${id}/${BYTES}-94.mp4`,
    });
    // A repeated check changes nothing.
    const again = { file_id: id, bytes: 1, refusal_code: 'unsupported_media' };
    expect(await callAs(SERVER, 'record_media_check', again)).toMatchObject({ state: 'ready', bytes: BYTES });
  });

  test.each([
    ['format', { format: 'mov' }],
    ['format', { format: null }],
    ['seconds', { seconds: 0 }],
    ['seconds', { seconds: 100_000 }],
    ['file_id', { file_id: null }],
  ])('is refused with an invalid %s: %j', async (field, args) => {
    const count = await database.rows('select count(*) from public.media_files');
    expect(
      await refusalOf(
        callAs(reporter, 'save_media_file', { file_id: randomUUID(), coverage_id, format: 'mp4', ...args }),
      ),
    ).toMatchObject({ code: 'invalid', field });
    expect(await database.rows('select count(*) from public.media_files')).toEqual(count);
  });

  test('of another person, or of another coverage, cannot be registered again', async () => {
    const file_id = await register();
    const before = await rowOf(file_id);
    const elsewhere = await makeCoverage();
    for (const [who, place] of [
      [colleague, coverage_id],
      [editor, coverage_id],
      [reporter, elsewhere],
    ] as const) {
      const args = { file_id, coverage_id: place, format: 'mp4' };
      expect(await refusalOf(callAs(who, 'save_media_file', args))).toMatchObject({ code: 'forbidden' });
    }
    expect(await rowOf(file_id)).toEqual(before);
  });

  test('is one of a limited number that a person uploads in a day and does not use', async () => {
    const max = LIMITS.unused_media_files;
    const person = await database.createUser('reporter');
    const other = await makeCoverage();
    const files = [];
    for (let n = 0; n < max - 1; n++) files.push(await register(person));
    const { id, path } = await ready(person, { coverage_id: other });
    const count = async () => {
      const rows = await database.rows('select id from public.media_files where uploaded_by = $1', [
        person.sub,
      ]);
      return rows.length;
    };
    const refused = { code: 'invalid', field: 'file_id', reason: 'too_many_unused_files', max };
    expect(await refusalOf(register(person))).toEqual(refused);
    expect(await refusalOf(register(person, { coverage_id: other }))).toEqual(refused);
    expect(await count()).toBe(max);
    // A file can be registered again, and other people have a limit of their own.
    await callAs(person, 'save_media_file', { file_id: files[0], coverage_id, format: 'mp4' });
    await register(colleague);
    // A file that is used makes room, and so does the next day.
    const update = { coverage_id: other, update_id: randomUUID(), content: showing(path) };
    await callAs(person, 'publish_update', update);
    expect(await usesOf(id)).toHaveLength(1);
    await register(person);
    expect(await refusalOf(register(person))).toEqual(refused);
    await database.rows(
      `update public.media_files set created_at = created_at - interval '1 day' where id = $1`,
      [files[0]],
    );
    await register(person);
    expect(await refusalOf(register(person))).toEqual(refused);
  });

  // PGlite has one session at a time.
  test.skipIf(ENGINE !== 'postgres')(
    'is counted with those that are registered at the same time',
    async () => {
      const person = await database.createUser('reporter');
      for (let n = 0; n < LIMITS.unused_media_files - 1; n++) await register(person);
      const places = await Promise.all([makeCoverage(), makeCoverage(), makeCoverage()]);
      const results = await Promise.allSettled(
        places.map((place) => register(person, { coverage_id: place })),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    },
  );

  test('that was refused has no path and cannot be shown', async () => {
    const id = await register();
    const check = { file_id: id, bytes: 0, refusal_code: 'unsupported_media' };
    expect(await callAs(SERVER, 'record_media_check', check)).toMatchObject({
      state: 'refused',
      refusal_code: 'unsupported_media',
      path: null,
    });
    const update_id = randomUUID();
    expect(await refusalOf(publish(reporter, showing(`/media/${id}/${BYTES}.mp4`), update_id))).toMatchObject(
      {
        code: 'invalid',
        field: 'body',
        reason: 'file_unavailable',
      },
    );
    expect(await database.rows('select id from public.updates where id = $1', [update_id])).toEqual([]);
  });
});

describe('an update', () => {
  test('shows a file of its writer, and records that it does', async () => {
    const { id, path } = await ready();
    const update_id = randomUUID();
    expect(await stateOf(VISITOR, id)).toBeUndefined();
    await publish(reporter, showing(path), update_id);
    expect(await usesOf(id)).toEqual([{ update_id }]);
    expect(await stateOf(VISITOR, id)).toBe('ready');
    await callAs(reporter, 'revise_update', {
      update_id,
      version: 1,
      content: { body: [paragraph('Gone.')] },
    });
    expect(await usesOf(id)).toEqual([]);
    expect(await stateOf(VISITOR, id)).toBeUndefined();
    expect(await stateOf(colleague, id)).toBe('ready');
  });

  test('hides its file when it is withdrawn', async () => {
    const { id, path } = await ready();
    const update_id = randomUUID();
    await publish(reporter, showing(path), update_id);
    await callAs(reporter, 'withdraw_update', { update_id, reason: 'Not true.' });
    expect(await stateOf(VISITOR, id)).toBeUndefined();
    expect(await stateOf(reporter, id)).toBe('ready');
  });

  test.each([
    ['of a colleague', async () => (await ready(colleague)).path],
    ['with another size', async () => (await ready()).path.replace(`${BYTES}`, '1')],
    ['with another length', async () => (await ready()).path.replace('.mp4', '-9.mp4')],
    ['in another format', async () => (await ready()).path.replace('.mp4', '.mp3')],
    ['that does not exist', async () => `/media/${randomUUID()}/1.mp4`],
    ['that was not checked', async () => `/media/${await register()}/${BYTES}.mp4`],
  ])('cannot show a file %s', async (_, pathOf) => {
    const path = await pathOf();
    const [published, saved] = [randomUUID(), randomUUID()];
    const refused = { code: 'invalid', field: 'body', reason: 'file_unavailable' };
    expect(await refusalOf(publish(reporter, showing(path), published))).toMatchObject(refused);
    expect(await refusalOf(save(reporter, showing(path), saved))).toMatchObject(refused);
    const rows = await database.rows('select id from public.updates where id = any ($1)', [
      [published, saved],
    ]);
    expect(rows).toEqual([]);
  });

  test('of an editor may show any file of the coverage, and others may show a published one', async () => {
    const { path } = await ready();
    await publish(editor, showing(path));
    await publish(colleague, showing(path));
    const elsewhere = await makeCoverage();
    const args = { coverage_id: elsewhere, update_id: randomUUID(), content: showing(path) };
    expect(await refusalOf(callAs(editor, 'publish_update', args))).toMatchObject({
      reason: 'file_unavailable',
    });
  });

  test('needs a description of its file to be published, and can be saved without', async () => {
    const { path } = await ready();
    const bare = { body: [fileBlock(path, { description: undefined })] };
    const update_id = randomUUID();
    const { version } = await save(reporter, bare, update_id);
    const args = { coverage_id, update_id, version, content: bare };
    expect(await refusalOf(callAs(reporter, 'publish_update', args))).toMatchObject({
      code: 'invalid',
      field: 'body',
      reason: 'file_description_missing',
    });
    const [row] = await database.rows('select state, version from public.updates where id = $1', [update_id]);
    expect(row).toEqual({ state: 'draft', version });
    await callAs(reporter, 'publish_update', { ...args, content: showing(path) });
  });

  test('is the only place for a file', async () => {
    const { path } = await ready();
    const [{ version = 0 } = {}] = await database.rows<{ version: number }>(
      'select version from public.coverages where id = $1',
      [coverage_id],
    );
    const summary = [fileBlock(path)];
    expect(await refusalOf(callAs(editor, 'set_summary', { coverage_id, version, summary }))).toMatchObject({
      code: 'invalid',
      field: 'summary',
      reason: 'file_outside_update',
    });
  });
});

describe('unused files', () => {
  const age = (id: string) =>
    database.rows(
      `update public.media_files set created_at = created_at - interval '30 days',
       ready_at = ready_at - interval '30 days' where id = $1`,
      [id],
    );
  const store = (name: string) =>
    database.rows(
      `insert into storage.objects (bucket_id, name, created_at) values ('media', $1, now() - interval '2 hours')`,
      [name],
    );
  const clean = () =>
    database.as(SERVER, async (session) => {
      const { rows } = await session.query<{ name: string }>(
        'select name from public.delete_unused_media_files() name',
      );
      return rows.map(({ name }) => name);
    });

  test('are deleted after a week, and files that never arrived after a day', async () => {
    const [old, young, lost, arriving] = [await ready(), await ready(), await register(), await register()];
    await Promise.all([old.id, lost].map(age));
    await Promise.all([old.id, young.id, lost, arriving].map(store));
    const names = await clean();
    expect(names).toEqual(expect.arrayContaining([old.id, lost]));
    expect(names).not.toContain(young.id);
    expect(names).not.toContain(arriving);
    expect(await Promise.all([old.id, lost].map(rowOf))).toEqual([undefined, undefined]);
    expect(await rowOf(young.id)).toBeDefined();
  });

  test('stay while an update or one of its versions shows them', async () => {
    const [shown, former] = [await ready(), await ready()];
    await publish(reporter, showing(shown.path));
    const update_id = randomUUID();
    await publish(reporter, showing(former.path), update_id);
    await callAs(reporter, 'revise_update', {
      update_id,
      version: 1,
      content: { body: [paragraph('Gone.')] },
    });
    await Promise.all([shown.id, former.id].map(age));
    await Promise.all([shown.id, former.id].map(store));
    const names = await clean();
    expect(names).not.toContain(shown.id);
    expect(names).not.toContain(former.id);
    const reason = 'A face can be seen.';
    await callAs(editor as Person, 'redact_revision', { update_id, version: 1, reason });
    expect(await clean()).toContain(former.id);
  });

  const again = (file_id: string) =>
    callAs(reporter, 'save_media_file', { file_id, coverage_id, format: 'mp4' });
  /** Removes an object, as the storage service does. */
  const removeObject = (name: string) =>
    database.engine.transaction(async (session) => {
      await session.query("select set_config('storage.allow_delete_query', 'true', true)");
      await session.query("delete from storage.objects where bucket_id = 'media' and name = $1", [name]);
    });

  test('cannot be registered again before their object is gone', async () => {
    const id = await register();
    await age(id);
    await store(id);
    expect(await clean()).toContain(id);
    // The server has the name, and removes the object next.
    expect(await refusalOf(again(id))).toMatchObject({ code: 'forbidden' });
    expect(await rowOf(id)).toBeUndefined();
    await removeObject(id);
    expect(await again(id)).toMatchObject({ id, state: 'uploading' });
    expect(await clean()).not.toContain(id);
  });

  // PGlite has one session at a time, so nothing waits for locks.
  describe.skipIf(ENGINE !== 'postgres')('and a registration at the same time', () => {
    const isWaiting = () =>
      database.rows(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );

    test('refuse it after the deletion', async () => {
      const id = await register();
      await age(id);
      await store(id);
      let registering: Promise<unknown> | undefined;
      await database.as(SERVER, async (session) => {
        const { rows } = await session.query<{ name: string }>(
          'select name from public.delete_unused_media_files() name',
        );
        expect(rows.map(({ name }) => name)).toContain(id);
        registering = refusalOf(again(id));
        await expect.poll(isWaiting).toHaveLength(1);
      });
      expect(await registering).toMatchObject({ code: 'forbidden' });
      expect(await rowOf(id)).toBeUndefined();
    });

    test('keep a file that is checked before the deletion', async () => {
      const id = await register();
      await age(id);
      await store(id);
      let cleaning: Promise<string[]> | undefined;
      await database.as(SERVER, async (session) => {
        await session.query('select public.record_media_check($1, $2)', [id, BYTES]);
        cleaning = clean();
        await expect.poll(isWaiting).toHaveLength(1);
      });
      expect(await cleaning).not.toContain(id);
      expect(await stateOf(reporter, id)).toBe('ready');
    });
  });

  test('that were refused leave no object', async () => {
    const id = await register();
    await callAs(SERVER, 'record_media_check', { file_id: id, bytes: 0, refusal_code: 'unsupported_media' });
    await store(id);
    expect(await clean()).toContain(id);
  });
});
