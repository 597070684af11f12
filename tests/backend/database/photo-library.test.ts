import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { ENGINE } from '../../support/data-folders.ts';
import { errorOf, SERVER, VISITOR } from '../../support/database.ts';
import { x } from './content-cases.ts';
import {
  announce,
  announced,
  callAs,
  colleague,
  coverage_id,
  database,
  develop,
  editor,
  makeCoverage,
  publish,
  reporter,
  rowOf,
  save,
  seenBy,
  showing,
  store,
  usePhotoDatabase,
} from './photo-context.ts';

usePhotoDatabase();

describe('the photo library', () => {
  type Listed = { id: string; uses: number; published: number; withdrawn: number; uploader: string };
  const library = (who: Claims | undefined, ...asked: unknown[]) =>
    database.as(who ?? VISITOR, async (session) => {
      const [words = null, coverage = null, which = 'all', before = null, most = 24] = asked;
      const { rows } = await session.query<Listed>('select * from public.photo_library($1, $2, $3, $4, $5)', [
        words,
        coverage,
        which,
        before,
        most,
      ]);
      return rows;
    });
  const idsOf = async (who: Claims | undefined, ...asked: unknown[]) =>
    (await library(who, ...asked)).map(({ id }) => id);
  const usesOf = async (who: Claims | undefined, photo: string) =>
    (
      await database.as(who ?? VISITOR, (session) =>
        session.query<Record<string, unknown>>('select * from public.photo_uses($1)', [photo]),
      )
    ).rows;

  test('finds photos by text, coverage and uploader, newest first, as permissions allow', async () => {
    const own = await makeCoverage();
    const [ada, bo] = [await database.createUser('reporter'), await database.createUser('reporter')];
    const name = `N${randomUUID().slice(0, 8)}`;
    await callAs(ada, 'save_me', { content: { display_name: `Ádá ${name}` } });
    const word = `w${randomUUID().slice(0, 8)}`;
    const first = await announce(ada, { alt: `Presión, ${word}` }, own);
    const second = await announce(ada, { caption: `The ${word}s` }, own);
    const third = await announce(bo, { alt: 'A gate.', credit: word }, own);
    const [draft, other] = [randomUUID(), randomUUID()];
    for (const update_id of [draft, other]) {
      await callAs(ada, 'save_update', { coverage_id: own, update_id, content: showing(first) });
    }
    const all = [third, second, first];
    expect(await idsOf(editor, null, own)).toEqual(all);
    expect(await idsOf(editor, word)).toEqual(all);
    expect(await idsOf(editor, `${word} presion`, own)).toEqual([first]);
    expect(await idsOf(editor, name.toLowerCase())).toEqual([second, first]);
    expect(await idsOf(editor, word, await makeCoverage())).toEqual([]);
    expect(await idsOf(bo, null, own), 'theirs, and what an update holds').toEqual([third, first]);
    expect(await idsOf(bo, null, own, 'mine')).toEqual([third]);
    expect(await idsOf(bo, null, null, 'mine')).toEqual([third]);
    expect(await idsOf(ada, null, own, 'unused')).toEqual([second]);
    await callAs(ada, 'save_update', { coverage_id: own, update_id: draft, content: showing(), version: 1 });
    expect(await idsOf(ada, null, own, 'unused'), 'another update shows it').toEqual([second]);
    await callAs(ada, 'spike_update', { update_id: other, version: 1 });
    expect(await idsOf(ada, null, own, 'unused'), 'removed from updates').toEqual([second, first]);
    await callAs(ada, 'save_update', {
      ...{ coverage_id: own, update_id: draft, version: 2 },
      content: showing(first),
    });
    expect(await idsOf(ada, null, own, 'unused'), 'in use again').toEqual([second]);
    expect(await idsOf(editor, null, own, 'all', third, 1), 'on from one').toEqual([second]);
    expect(await idsOf(editor, word, null, 'all', second)).toEqual([first]);
    expect((await idsOf(editor)).slice(0, 3)).toEqual(all);
    await callAs(SERVER, 'refuse_photo', { photo_id: second, code: 'invalid' });
    expect(await idsOf(editor, null, own, 'refused')).toEqual([second]);
    expect((await idsOf(editor, null, null, 'refused'))[0]).toBe(second);
    await develop(first);
    await develop(third);
    expect(await idsOf(bo, null, own, 'usable'), 'not somebody’s draft').toEqual([third]);
    expect(await idsOf(editor, null, own, 'usable')).toEqual([third, first]);

    const contributor = await database.createUser('contributor');
    expect(await idsOf(contributor, word)).toEqual([]);
    expect(await idsOf(contributor, null, own)).toEqual([]);
    await callAs(editor, 'set_coverage_member', { coverage_id: own, person_id: contributor.sub });
    expect(await idsOf(contributor, word)).toEqual([first]);
    expect(await idsOf(contributor)).toEqual([first]);
    expect(await idsOf(await database.createUser())).toEqual([]);
    expect((await library(editor, null, own))[2]).toMatchObject({
      uses: 1,
      published: 0,
      uploader: `Ádá ${name}`,
    });
    expect(await idsOf(editor, "it's | & :* <-> (")).toEqual([]);
  });

  test('replaces a photo in all current versions and keeps earlier versions', async () => {
    const [old, other] = [await announced(), await announced(reporter, { alt: 'The right dam.' })];
    const [news, draft] = [randomUUID(), randomUUID()];
    await publish(reporter, { ...showing(old), headline: 'Look', key_event: true, dateline: 'Ayr' }, news);
    await save(reporter, { body: [{ type: 'photo', photo: old }, ...showing().body] }, draft);
    const away = await save(reporter, showing(old));
    await callAs(reporter, 'spike_update', { update_id: away.id, version: 1 });
    const args = {
      idempotency_key: randomUUID(),
      photo_id: old,
      replacement_id: other,
      note: 'Another dam.',
    };
    const done = { id: other, state: 'ready', refusal_code: null, updates: 2, published: 1 };
    expect(await callAs(reporter, 'replace_photo', args)).toEqual(done);
    expect(await callAs(reporter, 'replace_photo', args), 'pressed again').toEqual(done);
    const rows = await database.rows<{ id: string; body: unknown }>(
      'select id, version, headline, body, key_event, dateline, corrected_at is not null as corrected from public.updates where id = any ($1::uuid[])',
      [[news, draft, away.id]],
    );
    const at = (id: unknown) => rows.find((row) => row.id === id);
    expect(at(news)).toMatchObject({
      version: 2,
      headline: 'Look',
      ...showing(other),
      key_event: true,
      dateline: 'Ayr',
      corrected: true,
    });
    expect(at(draft)).toMatchObject({
      version: 2,
      body: [{ type: 'photo', photo: other }, ...showing().body],
      corrected: false,
    });
    expect(at(away.id), 'put away').toMatchObject(showing(old));
    expect(await seenBy(VISITOR, old, other)).toEqual([other]);
    const uses = await usesOf(reporter, old);
    expect(uses).toEqual([
      expect.objectContaining({
        update_id: news,
        number: expect.any(Number),
        shows: false,
        may_change: true,
        versions: [1],
      }),
      ...[away.id, draft].map((update_id) =>
        expect.objectContaining({ update_id, number: null, shows: update_id === away.id, versions: [1] }),
      ),
    ]);
    expect(await usesOf(await database.createUser(), old)).toEqual([]);
    const log = await database.rows(
      `select kind from public.coverage_changes where update_id = $1 order by seq`,
      [news],
    );
    expect(log).toEqual([{ kind: 'publication' }, { kind: 'correction' }]);
  });

  test('accepts a replacement only if it is ready, allowed, of the same coverage and not in the same update', async () => {
    const [old, coming, theirs, beside, far] = [
      await announced(),
      await announce(),
      await announced(colleague),
      await announced(),
      await announce(reporter, { alt: 'Far.' }, await makeCoverage()),
    ];
    const news = randomUUID();
    await publish(reporter, showing(old, beside), news);
    const put = (replacement_id: unknown) =>
      errorOf(callAs(reporter, 'replace_photo', { photo_id: old, replacement_id }));
    expect(await put(coming)).toMatchObject({ code: 'bad_state' });
    expect(await put(beside)).toMatchObject({ code: 'bad_state' });
    for (const one of [theirs, far, old, randomUUID(), null]) {
      expect(await put(one)).toMatchObject({ code: 'invalid', field: 'replacement_id' });
    }
    const silent = await announced(reporter, {});
    expect(await put(silent), 'readers are told what it shows').toMatchObject({ field: 'photos' });
    const long = callAs(reporter, 'replace_photo', {
      photo_id: old,
      replacement_id: beside,
      note: x(LIMITS.note + 1),
    });
    expect(await errorOf(long)).toMatchObject({ field: 'note' });
    expect(await database.rows('select version, body from public.updates where id = $1', [news])).toEqual([
      { version: 1, ...showing(old, beside) },
    ]);
  });

  test('removes a photo everywhere in one transaction, and leaves a mark in versions', async () => {
    const photo = await announced();
    const [news, draft] = [randomUUID(), randomUUID()];
    await publish(reporter, showing(photo), news);
    const withdrawn = await publish(reporter, showing(photo));
    await callAs(reporter, 'withdraw_update', { update_id: withdrawn.id, reason: 'Wrong.' });
    await save(reporter, { body: [{ type: 'photo', photo }] }, draft);
    await store('photos', `renditions/${photo}/480`);
    expect(await seenBy(VISITOR, photo)).toEqual([photo]);
    const sent = await database.broadcastsOf(() => callAs(reporter, 'remove_photo', { photo_id: photo }));
    expect(sent.find(({ topic }) => topic === 'site')?.payload).toMatchObject({
      tags: expect.arrayContaining([`photos:${coverage_id}`]),
    });
    expect(sent).toContainEqual(
      expect.objectContaining({ event: 'photo', payload: expect.objectContaining({ photo }) }),
    );
    expect(await seenBy(VISITOR, photo)).toEqual([]);
    expect(await rowOf(photo)).toMatchObject({
      state: 'removed',
      renditions: [],
      width: null,
      alt: 'A dam.',
      removed_by: reporter?.sub,
    });
    expect(
      await database.rows('select body, version, corrected_at from public.updates where id = $1', [news]),
    ).toEqual([{ ...showing(), version: 2, corrected_at: null }]);
    expect(await database.rows('select body from public.updates where id = $1', [draft])).toEqual([
      { body: [] },
    ]);
    expect(
      await database.rows(
        `select content -> 'body' as body from public.update_revisions where update_id = $1 and version = 1`,
        [news],
      ),
    ).toEqual([showing(photo)]);
    // The photo cannot be used again.
    expect(
      await errorOf(
        callAs(reporter, 'revise_update', { update_id: news, version: 2, content: showing(photo) }),
      ),
    ).toMatchObject({ field: 'photos' });
    expect(await errorOf(save(editor, showing(photo)))).toMatchObject({ field: 'photos' });
    expect(await develop(photo), 'looked at too late').toMatchObject({ state: 'removed' });
    expect(await callAs(SERVER, 'refuse_photo', { photo_id: photo, code: 'invalid' })).toMatchObject({
      state: 'removed',
    });
    for (const act of ['remove_photo', 'replace_photo']) {
      expect(
        await errorOf(
          callAs(reporter, act, {
            photo_id: photo,
            ...(act === 'replace_photo' && { replacement_id: await announced() }),
          }),
        ),
      ).toMatchObject({ code: 'bad_state', state: 'removed' });
    }
    const [kept] = (await library(editor, null, coverage_id, 'removed')).filter(({ id }) => id === photo);
    expect(kept).toMatchObject({ uses: 0, withdrawn: 1 });
    const left = await database.as(SERVER, (session) =>
      session.query<{ id: string }>('select * from public.list_deletable_photos()'),
    );
    expect(left.rows.find(({ id }) => id === photo)).toEqual({
      id: photo,
      bucket: 'photos',
      paths: [`renditions/${photo}/480`],
    });
    const logged = await database.rows(
      `select action, created_by, detail from public.audit_log where subject_id = $1`,
      [photo],
    );
    expect(logged).toEqual([
      {
        action: 'remove_photo',
        created_by: reporter?.sub,
        detail: { coverage: coverage_id, updates: 2, published: 1 },
      },
    ]);
  });

  test('withdraws updates that show only the removed photo, and changes no others', async () => {
    const photo = await announced();
    const [beside, alone, waits] = [randomUUID(), randomUUID(), randomUUID()];
    await publish(reporter, showing(photo), beside);
    const only = { body: [{ type: 'photo', photo }] };
    await publish(reporter, only, alone);
    const remove = () =>
      callAs(reporter, 'remove_photo', { photo_id: photo, note: 'Wrong.' }).catch(({ message, detail }) => [
        message,
        JSON.parse(detail),
      ]);
    const refused = (details: object) => [expect.stringContaining('bad_state'), details];
    expect(await remove()).toEqual(
      refused({ reason: 'update_shows_only_photo', number: expect.any(Number) }),
    );
    await callAs(reporter, 'withdraw_update', { update_id: alone, reason: 'Wrong.' });
    await save(reporter, only, waits);
    await callAs(reporter, 'submit_update', { update_id: waits, version: 1 });
    expect(await remove()).toEqual(refused({ reason: 'waiting_update_shows_only_photo' }));
    expect(await database.rows('select body, version from public.updates where id = $1', [beside])).toEqual([
      { ...showing(photo), version: 1 },
    ]);
    expect(await rowOf(photo)).toMatchObject({ state: 'ready' });
    await callAs(reporter, 'spike_update', { update_id: waits, version: 1 });
    expect(await callAs(reporter, 'remove_photo', { photo_id: photo, note: 'Wrong.' })).toMatchObject({
      updates: 1,
      published: 1,
    });
    expect(
      await database.rows('select kind, note from public.update_notes where update_id = $1', [beside]),
    ).toEqual([{ kind: 'correction', note: 'Wrong.' }]);
  });

  test('lets reporters change their own photos, and editors all photos', async () => {
    const photo = await announced();
    const [own, others] = [randomUUID(), randomUUID()];
    await publish(reporter, showing(photo), own);
    await publish(colleague, showing(photo), others);
    const acts = [
      ['remove_photo', {}],
      ['replace_photo', { replacement_id: await announced() }],
    ] as const;
    for (const [act, args] of acts) {
      const trying = callAs(reporter, act, { photo_id: photo, ...args });
      const details = await trying.catch((error) => JSON.parse(error.detail));
      expect(details).toEqual({ reason: 'photo_in_other_updates', updates: [expect.any(Number)] });
    }
    expect((await usesOf(reporter, photo)).map(({ may_change }) => may_change)).toEqual([false, true]);
    expect(await callAs(editor, 'remove_photo', { photo_id: photo })).toMatchObject({
      updates: 2,
      published: 2,
    });
    // Photos of tips are not in the library.
    const ofTip = randomUUID();
    const tip = {
      tip_id: randomUUID(),
      content: { body: 'Seen.', photo: ofTip },
      receipt: x(20) + randomUUID(),
      sender: {},
    };
    await callAs(SERVER, 'add_tip', tip);
    expect(await errorOf(callAs(editor, 'remove_photo', { photo_id: ofTip }))).toMatchObject({
      code: 'not_found',
    });
    expect(await errorOf(callAs(editor, 'remove_photo', { photo_id: randomUUID() }))).toMatchObject({
      code: 'not_found',
    });
  });
});

// PGlite has one session at a time, so nothing waits for locks.
describe.skipIf(ENGINE !== 'postgres')('replacing a photo', () => {
  const LOCK = 'select from public.photos where id = $1 for update';

  test('does not wait for the lock of a photo of another coverage', async () => {
    const [photo_id, elsewhere] = [await announced(), await announce(editor, {}, await makeCoverage())];
    await database.engine.transaction(async (other) => {
      await other.query(LOCK, [elsewhere]);
      const replacing = callAs(editor, 'replace_photo', { photo_id, replacement_id: elsewhere });
      expect(await errorOf(replacing)).toMatchObject({ code: 'invalid', field: 'replacement_id' });
    });
  });

  test('locks both photos in the same order as the deletion of photos', async () => {
    const [first = '', last = ''] = [await announced(editor), await announced(editor)].sort();
    let replacing: Promise<unknown> | undefined;
    await database.engine.transaction(async (other) => {
      await other.query(LOCK, [first]);
      replacing = callAs(editor, 'replace_photo', { photo_id: last, replacement_id: first });
      const waits = () =>
        database.rows(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
      await expect.poll(waits).toHaveLength(1);
      await other.query(`${LOCK} nowait`, [last]);
    });
    await replacing;
  });
});
