import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { contentOf } from '../../support/actors.ts';
import {
  type Broadcast,
  type Call,
  errorOf,
  openTestDatabase,
  SERVER,
  type TestDatabase,
} from '../../support/database.ts';
import { paragraph, type Saved } from '../../support/newsroom.ts';

/* Expected broadcasts on which channels when something changes: exactly these, in this order. */

let database: TestDatabase;
let editor: Claims & { sub: string };
beforeAll(async () => {
  database = await openTestDatabase();
  editor = await database.createUser('editor');
  // A first byline is another case, so the reporter gets one here.
  await publishIn(await makeCoverage());
});
afterAll(() => database.close());

const callAs = (name: string, args: Record<string, unknown>, who: Claims = editor) =>
  database.call(who, [name, args]);

/** Creates a coverage in a state. @returns its id, from which its slug is made */
async function makeCoverage(state: 'draft' | 'live' = 'live') {
  const coverage_id = randomUUID();
  const content = { slug: `case-${coverage_id}`, headline: 'A case' };
  await callAs('create_coverage', { coverage_id, content });
  if (state !== 'draft') await callAs('set_coverage_state', { coverage_id, state });
  return coverage_id;
}

const publishIn = async (coverage_id: string, who: Claims = editor) =>
  (await callAs(
    'publish_update',
    { coverage_id, update_id: randomUUID(), content: contentOf('News.') },
    who,
  )) as Saved;

/** The message to the site about the seq of a public coverage. */
const toSite = (
  coverage: string,
  seq: number,
  { missing = false, photos = false, removed = false, slug = `case-${coverage}` } = {},
) => ({
  topic: 'site',
  event: 'change',
  payload: {
    coverage,
    seq,
    slug,
    removed,
    tags: [
      `coverage:${coverage}`,
      'lists',
      ...(missing ? ['missing'] : []),
      ...(photos ? [`photos:${coverage}`] : []),
    ],
  },
});
const toReaders = (coverage: string, seq: number) => ({
  topic: `coverage:${coverage}`,
  event: 'change',
  payload: { seq, spread: LIMITS.reader_jitter_ms },
});
const toDesk = (coverage: string, version: number, seq: number) => ({
  topic: `desk:${coverage}`,
  event: 'coverage',
  payload: { version, seq },
});
const ofUpdate = (coverage: string, update: string, version: number) => ({
  topic: `desk:${coverage}`,
  event: 'update',
  payload: { update, version },
});

describe('an update', () => {
  test('is broadcast to the site first, then to readers, then to the desk', async () => {
    const coverage = await makeCoverage();
    const update_id = randomUUID();
    const sent = await database.broadcastsOf(() =>
      callAs('publish_update', { coverage_id: coverage, update_id, content: contentOf('News.') }),
    );
    expect(sent).toEqual([toSite(coverage, 2), toReaders(coverage, 2), ofUpdate(coverage, update_id, 1)]);
  });

  test("also invalidates missing pages when it has a person's first byline", async () => {
    const coverage = await makeCoverage();
    const reporter = await database.createUser('reporter');
    const [first] = await database.broadcastsOf(() => publishIn(coverage, reporter));
    expect(first).toEqual(toSite(coverage, 2, { missing: true }));
    const [second] = await database.broadcastsOf(() => publishIn(coverage, reporter));
    expect(second).toEqual(toSite(coverage, 3));
  });

  test('is broadcast to the desk only while it is not published', async () => {
    const coverage = await makeCoverage();
    const scene = { coverage_id: coverage, update_id: randomUUID() };
    const { update_id } = scene;
    const save = (version: number | null) =>
      database.broadcastsOf(() => callAs('save_update', { ...scene, content: contentOf('Draft.'), version }));
    expect(await save(null)).toEqual([ofUpdate(coverage, update_id, 1)]);
    expect(await save(1)).toEqual([ofUpdate(coverage, update_id, 2)]);
    const submitting = () => callAs('submit_update', { update_id, version: 2 });
    expect(await database.broadcastsOf(submitting)).toEqual([ofUpdate(coverage, update_id, 2)]);
    const spiking = () => callAs('spike_update', { update_id, version: 2 });
    expect(await database.broadcastsOf(spiking)).toEqual([ofUpdate(coverage, update_id, 2)]);
  });

  test('is broadcast once, in its final state, when a draft is published', async () => {
    const coverage = await makeCoverage();
    const scene = { coverage_id: coverage, update_id: randomUUID(), content: contentOf('Ready.') };
    await callAs('save_update', scene);
    const sent = await database.broadcastsOf(() => callAs('publish_update', { ...scene, version: 1 }));
    expect(sent).toEqual([
      toSite(coverage, 2),
      toReaders(coverage, 2),
      ofUpdate(coverage, scene.update_id, 2),
    ]);
  });

  test.each([
    ['revise_update', {}],
    ['correct_update', { note: 'A name.' }],
  ])('is broadcast again by %s', async (act, more) => {
    const coverage = await makeCoverage();
    const { id: update_id, version } = await publishIn(coverage);
    const sent = await database.broadcastsOf(() =>
      callAs(act, { update_id, version, content: contentOf('Mended.'), ...more }),
    );
    expect(sent).toEqual([
      toSite(coverage, 3, { photos: true }),
      toReaders(coverage, 3),
      ofUpdate(coverage, update_id, 2),
    ]);
  });

  test('reports one removal for everything that its withdrawal removes', async () => {
    const coverage = await makeCoverage();
    const { id: update_id } = await publishIn(coverage);
    await callAs('pin_update', { coverage_id: coverage, update_id });
    const sent = await database.broadcastsOf(() =>
      callAs('withdraw_update', { update_id, reason: 'Wrong.' }),
    );
    expect(sent).toEqual([
      toSite(coverage, 5, { photos: true, removed: true }),
      toReaders(coverage, 5),
      toDesk(coverage, 1, 5),
      ofUpdate(coverage, update_id, 2),
    ]);
    const [next] = await database.broadcastsOf(() => publishIn(coverage));
    expect(next).toEqual(toSite(coverage, 6));
  });

  test('reports a removal to readers for a redacted public version, and to the desk otherwise', async () => {
    const coverage = await makeCoverage();
    const update_id = randomUUID();
    await callAs('save_update', { coverage_id: coverage, update_id, content: contentOf('Draft.') });
    await callAs('publish_update', {
      coverage_id: coverage,
      update_id,
      version: 1,
      content: contentOf('News.'),
    });
    await callAs('revise_update', { update_id, version: 2, content: contentOf('Mended.') });
    const redact = (version: number) =>
      database.broadcastsOf(() => callAs('redact_revision', { update_id, version, reason: 'A name.' }));
    expect(await redact(1)).toEqual([ofUpdate(coverage, update_id, 3)]);
    expect(await redact(2)).toEqual([
      toSite(coverage, 4, { photos: true, removed: true }),
      toReaders(coverage, 4),
      ofUpdate(coverage, update_id, 3),
    ]);
  });

  test('broadcasts nothing when its command is refused or repeated', async () => {
    const coverage = await makeCoverage();
    const again = {
      idempotency_key: randomUUID(),
      coverage_id: coverage,
      update_id: randomUUID(),
      content: contentOf('Once.'),
    };
    expect(await database.broadcastsOf(() => callAs('publish_update', again))).toHaveLength(3);
    expect(await database.broadcastsOf(() => callAs('publish_update', again))).toEqual([]);
    const refused = { coverage_id: coverage, update_id: randomUUID(), content: contentOf('') };
    expect(await database.broadcastsOf(() => callAs('publish_update', refused).catch(() => {}))).toEqual([]);
    // The whole transaction is rolled back, although one of its commands succeeded.
    const undone = database.broadcastsOf(() =>
      database
        .call(
          editor,
          ['publish_update', { ...refused, content: contentOf('Well.') }],
          ['pin_update', { update_id: null, coverage_id: null }],
        )
        .catch(() => {}),
    );
    expect(await undone).toEqual([]);
  });
});

describe('a transaction', () => {
  const items = (count: number) =>
    Array.from({ length: count }, () => ({
      id: randomUUID(),
      published_at: '2026-01-01T00:00:00Z',
      content: contentOf('Imported.'),
    }));

  test('broadcasts once for an import of 500 updates', async () => {
    const coverage = await makeCoverage();
    const sent = await database.broadcastsOf(() =>
      callAs('import_updates', { coverage_id: coverage, items: items(500) }, SERVER),
    );
    expect(sent).toEqual([toSite(coverage, 501), toReaders(coverage, 501), toDesk(coverage, 1, 501)]);
  });

  test('names each update to the desk while there are few', async () => {
    const coverage = await makeCoverage();
    const few = items(LIMITS.changes_per_answer);
    const sent = await database.broadcastsOf(() =>
      callAs('import_updates', { coverage_id: coverage, items: few }, SERVER),
    );
    expect(sent.slice(0, 2)).toEqual([toSite(coverage, 51), toReaders(coverage, 51)]);
    expect(new Set(sent.slice(2))).toEqual(new Set(few.map(({ id }) => ofUpdate(coverage, id, 1))));
  });

  test('reports both when it removes one update and adds another', async () => {
    const coverage = await makeCoverage();
    const { id } = await publishIn(coverage);
    const update_id = randomUUID();
    const sent = await database.broadcastsOf(() =>
      database.call(
        editor,
        ['withdraw_update', { update_id: id, reason: 'Wrong.' }],
        ['save_coverage', { coverage_id: coverage, version: 1, content: { kicker: 'Floods' } }],
        ['publish_update', { coverage_id: coverage, update_id, content: contentOf('Right.') }],
      ),
    );
    expect(sent.find(({ topic }) => topic === 'site')).toEqual(
      toSite(coverage, 5, { missing: true, photos: true, removed: true }),
    );
  });

  test('broadcasts to both coverages that it changes', async () => {
    const [one, other] = [await makeCoverage(), await makeCoverage()];
    const publishing = (coverage_id: string): Call => [
      'publish_update',
      { coverage_id, update_id: randomUUID(), content: contentOf('News.') },
    ];
    const sent = await database.broadcastsOf(() =>
      database.call(editor, ...[one, other, one].map(publishing)),
    );
    expect(sent.filter(({ topic }) => !topic.startsWith('desk:'))).toEqual([
      toSite(other, 2),
      toReaders(other, 2),
      toSite(one, 3),
      toReaders(one, 3),
    ]);
  });
});

describe('a photo', () => {
  const renditions = [{ width: 480, height: 320, bytes: 9_000 }];
  const developed = (photo_id: string) =>
    database.call(SERVER, ['mark_photo_ready', { photo_id, renditions, placeholder_colour: '#0a1b2c' }]);
  const ofPhoto = (coverage: string, photo: string) => ({
    topic: `desk:${coverage}`,
    event: 'photo',
    payload: { photo },
  });

  test('is broadcast when it becomes ready, or when its description changes', async () => {
    const coverage_id = await makeCoverage();
    const photo_id = randomUUID();
    const announce = (alt: string) => () => callAs('save_photo', { photo_id, coverage_id, content: { alt } });
    expect(await database.broadcastsOf(announce('A dam.'))).toEqual([]);
    const body = { body: [{ type: 'photo', photo: photo_id }] };
    const [published, draft] = [randomUUID(), randomUUID()];
    await callAs('publish_update', { coverage_id, update_id: published, content: body });
    await callAs('save_update', { coverage_id, update_id: draft, content: body });
    const changed = (seq: number) => [
      ofUpdate(coverage_id, draft, 1),
      toSite(coverage_id, seq),
      toReaders(coverage_id, seq),
      ofUpdate(coverage_id, published, 1),
    ];
    expect(await database.broadcastsOf(() => developed(photo_id))).toEqual([
      ofPhoto(coverage_id, photo_id),
      ...changed(3),
    ]);
    expect(await database.broadcastsOf(() => developed(photo_id))).toEqual([]);
    expect(await database.broadcastsOf(announce('A gate.'))).toEqual(changed(4));
    expect(await database.broadcastsOf(announce('A gate.'))).toEqual([]);
    const changes = await database.rows(
      'select u.seq::int, c.kind, c.seq::int as change from public.updates u join public.coverage_changes c on c.update_id = u.id where u.id = $1 order by c.seq',
      [published],
    );
    expect(changes).toEqual([
      { seq: 4, kind: 'publication', change: 2 },
      { seq: 4, kind: 'photo', change: 3 },
      { seq: 4, kind: 'photo', change: 4 },
    ]);
  });

  test.each([
    ['remove_photo', 'removed', {}],
    ['replace_photo', 'replaced', {}],
    ['revise_update', 'written out', {}],
  ])('reports a removal when an update that %s has it %s, but not for another photo', async (act) => {
    const coverage_id = await makeCoverage();
    const [photo_id, replacement_id, update_id] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [photo_id, replacement_id]) {
      await callAs('save_photo', { photo_id: id, coverage_id, content: { alt: 'A dam.' } });
      await developed(id);
    }
    const content = { body: [...contentOf('News.').body, { type: 'photo', photo: photo_id }] };
    await callAs('publish_update', { coverage_id, update_id, content });
    const revise = (version: number, body: object[]) =>
      callAs('revise_update', { update_id, version, content: { body } });
    const [kept] = await database.broadcastsOf(() =>
      revise(1, [...contentOf('Newer.').body, ...content.body.slice(1)]),
    );
    expect(kept).toEqual(toSite(coverage_id, 3, { photos: true }));
    const sent = await database.broadcastsOf(() =>
      act === 'revise_update'
        ? revise(2, contentOf('Bare.').body)
        : callAs(act, act === 'remove_photo' ? { photo_id } : { photo_id, replacement_id }),
    );
    const removed = toSite(coverage_id, 4, { photos: true, removed: true });
    expect(sent.find(({ topic }) => topic === 'site')).toEqual(removed);
    const [after] = await database.broadcastsOf(() => revise(3, contentOf('Barer.').body));
    expect(after).toEqual(toSite(coverage_id, 5, { photos: true, removed: act === 'replace_photo' }));
  });

  test('is broadcast to its desk only while no public update shows it', async () => {
    const coverage_id = await makeCoverage();
    for (const settle of [
      developed,
      (photo_id: string) => database.call(SERVER, ['refuse_photo', { photo_id, code: 'unsupported_media' }]),
    ]) {
      const photo_id = randomUUID();
      await callAs('save_photo', { photo_id, coverage_id, content: {} });
      expect(await database.broadcastsOf(() => settle(photo_id))).toEqual([ofPhoto(coverage_id, photo_id)]);
    }
  });
});

describe('a coverage', () => {
  test('is broadcast to its desk only while it is a draft', async () => {
    const coverage = randomUUID();
    const content = { slug: `case-${coverage}`, headline: 'Quiet' };
    const making = () => callAs('create_coverage', { coverage_id: coverage, content });
    expect(await database.broadcastsOf(making)).toEqual([toDesk(coverage, 1, 0)]);
    const saving = () =>
      callAs('save_coverage', { coverage_id: coverage, version: 1, content: { kicker: 'Soon' } });
    expect(await database.broadcastsOf(saving)).toEqual([toDesk(coverage, 2, 0)]);
    const summing = () =>
      callAs('set_summary', { coverage_id: coverage, version: 2, summary: [paragraph('So far.')] });
    expect(await database.broadcastsOf(summing)).toEqual([toDesk(coverage, 3, 0)]);
    const scene = { coverage_id: coverage, update_id: randomUUID(), content: contentOf('First.') };
    expect(await database.broadcastsOf(() => callAs('save_update', scene))).toEqual([
      ofUpdate(coverage, scene.update_id, 1),
    ]);
  });

  test('broadcasts changes of its contributors to its desk', async () => {
    const coverage = await makeCoverage('draft');
    const person = await database.createUser('contributor');
    const member = { coverage_id: coverage, person_id: person.sub };
    for (const expires_at of [null, '2020-01-01T00:00:00Z']) {
      const setting = () => callAs('set_coverage_member', { ...member, expires_at });
      expect(await database.broadcastsOf(setting)).toEqual([toDesk(coverage, 1, 0)]);
    }
    const deleting = () => database.rows('delete from auth.users where id = $1', [person.sub]);
    expect(await database.broadcastsOf(deleting)).toEqual([toDesk(coverage, 1, 0)]);
  });

  test('broadcasts each change of state, and its withdrawal', async () => {
    const coverage = await makeCoverage('draft');
    const steps = ['live', 'paused', 'ended', 'archived', 'withdrawn'];
    for (const [n, state] of steps.entries()) {
      const sent = await database.broadcastsOf(() =>
        callAs('set_coverage_state', { coverage_id: coverage, state }),
      );
      expect(sent, state).toEqual([
        toSite(coverage, n + 1, { missing: true, photos: true, removed: state === 'withdrawn' }),
        toReaders(coverage, n + 1),
        toDesk(coverage, 1, n + 1),
      ]);
    }
  });

  test('broadcasts changes of its content, summary, pinned update and follow mode', async () => {
    const coverage = await makeCoverage();
    const slug = `renamed-${coverage}`;
    const saving = () => callAs('save_coverage', { coverage_id: coverage, version: 1, content: { slug } });
    expect(await database.broadcastsOf(saving)).toEqual([
      toDesk(coverage, 2, 2),
      toSite(coverage, 2, { slug, missing: true, photos: true }),
      toReaders(coverage, 2),
    ]);
    const summing = () =>
      callAs('set_summary', { coverage_id: coverage, version: 2, summary: [paragraph('So far.')] });
    expect(await database.broadcastsOf(summing)).toEqual([
      toDesk(coverage, 3, 3),
      toSite(coverage, 3, { slug }),
      toReaders(coverage, 3),
    ]);
    const { id: update_id } = await publishIn(coverage);
    const pinning = () => callAs('pin_update', { coverage_id: coverage, update_id });
    expect(await database.broadcastsOf(pinning)).toEqual([
      toSite(coverage, 5, { slug }),
      toReaders(coverage, 5),
      toDesk(coverage, 3, 5),
    ]);
    expect(await database.broadcastsOf(pinning)).toEqual([]);
    const following = { coverage_id: coverage, version: 3, content: { reader_follow_mode: 'checks' } };
    expect(await database.broadcastsOf(() => callAs('save_coverage', following))).toEqual([
      toDesk(coverage, 4, 6),
      toSite(coverage, 6, { slug }),
      toReaders(coverage, 6),
    ]);
  });
});

describe('a quiet live coverage', () => {
  const remind = () => database.rows('select private.remind_quiet()');
  const since = async (id: string) =>
    (
      await database.rows<{ at: string | null }>(
        'select quiet_since as at from public.coverages where id = $1',
        [id],
      )
    )[0]?.at ?? null;
  /** Creates a live coverage whose last publication was this many hours ago. */
  async function silentFor(hours: number) {
    const id = await makeCoverage();
    await database.rows(
      'update public.coverages set continued_at = now() - make_interval(hours => $2), last_published_at = null where id = $1',
      [id, hours],
    );
    return id;
  }
  const owner = () => database.createUser('owner');

  test('reminds its desk once, and again after the next quiet period', async () => {
    const [silent, lately] = [await silentFor(13), await silentFor(11)];
    expect(await database.broadcastsOf(remind)).toEqual([toDesk(silent, 1, 1)]);
    expect([await since(silent), await since(lately)]).toEqual([expect.anything(), null]);
    const asked = async (who: Claims, what: string) =>
      (await database.as(who, (session) => session.query<{ id: string }>(what))).rows.map(({ id }) => id);
    const [staff, reader] = [await database.createUser('reporter'), await database.createUser('reader')];
    const ofDesk = 'select coverage_id as id from public.list_quiet_coverages()';
    expect([await asked(staff, ofDesk), await asked(reader, ofDesk)]).toEqual([[silent], []]);
    const forgotten = asked(reader, 'select id from public.coverages where quiet_since is not null');
    expect(await errorOf(forgotten)).toEqual({ code: '42501' });
    expect(await database.broadcastsOf(remind)).toEqual([]);
    for (const breaking of [
      () => publishIn(silent),
      () => callAs('continue_coverage', { coverage_id: silent }),
      () => callAs('set_coverage_state', { coverage_id: silent, state: 'paused' }),
    ]) {
      await database.rows(
        "update public.coverages set quiet_since = now() - interval '13 hours' where id = $1",
        [silent],
      );
      await breaking();
      expect(await since(silent)).toBeNull();
      expect(await database.broadcastsOf(remind)).toEqual([]);
    }
    const refused = callAs('continue_coverage', { coverage_id: silent });
    await expect(refused).rejects.toMatchObject({ message: 'bad_state' });
  });

  test('is not reminded where the site has turned this off, and clears earlier reminders', async () => {
    const silent = await silentFor(13);
    await remind();
    const changes: [hours: number, sent: number][] = [
      [0, 1],
      [0, 0],
      [13, 1],
      [14, 1],
    ];
    for (const [quiet_hours, sent] of changes) {
      await callAs('save_site', { content: { quiet_hours } }, await owner());
      expect(
        (await database.broadcastsOf(remind)).filter(({ topic }) => topic === `desk:${silent}`),
      ).toHaveLength(sent);
    }
    await callAs('save_site', { content: { quiet_hours: null } }, await owner());
  });
});

describe('cache tags are broadcast', () => {
  const seq = async () => {
    const [site] = await database.rows<{ seq: number }>('select seq::int as seq from public.site');
    return site?.seq ?? 0;
  };
  /** Expects these tags with the next seq of the site. Without tags, expects no broadcast and no new seq. */
  async function expectTags(work: () => Promise<unknown>, ...tags: string[]) {
    await expectSaid(false, work, tags);
  }
  /** The same for personal texts, which must disappear everywhere. */
  async function expectRemovedTags(work: () => Promise<unknown>, ...tags: string[]) {
    await expectSaid(true, work, tags);
  }
  async function expectSaid(removed: boolean, work: () => Promise<unknown>, tags: string[]) {
    const before = await seq();
    const sent = await database.broadcastsOf(work);
    const site = before + (tags.length > 0 ? 1 : 0);
    expect(sent).toEqual(
      tags.length > 0 ? [{ topic: 'site', event: 'change', payload: { site, tags, removed } }] : [],
    );
    expect(await seq()).toBe(site);
  }

  test('for changes of the site', async () => {
    const owner = await database.createUser('owner');
    const save = (content: object) => () => callAs('save_site', { content }, owner);
    await expectTags(save({ name: 'The Courier' }), 'site');
    await expectTags(save({ name: 'The Courier' }));
    await expectTags(save({ offline_pages: false }), 'site');
    await expectTags(save({ accent: '#0b5fa5' }), 'site');
    await expectTags(save({ embed_origins: ['https://example.org'] }), 'site');
    await expectTags(save({ quiet_hours: 24 }));
  });

  test('for the name of a topic, and for missing pages when a topic is new', async () => {
    const slug = `floods-${randomUUID().slice(0, 8)}`;
    const save = (name: string) => () => callAs('save_topic', { slug, name });
    await expectTags(save('Floods'), 'lists', 'missing');
    await expectTags(save('High water'), 'site');
    await expectTags(save('High water'));
  });

  test('for the name of a person with a byline, and for no other person', async () => {
    const person = await database.createUser('reporter');
    const save = (content: object) => () => callAs('save_me', { content }, person);
    await expectTags(save({ display_name: 'Ada', bio: 'Rivers.' }));
    await publishIn(await makeCoverage(), person);
    await expectRemovedTags(save({ display_name: 'Ada Löve' }), 'site');
    await expectTags(save({ display_name: 'Ada Löve' }));
    await expectRemovedTags(save({ bio: 'Rivers and bridges.' }), 'lists');
    await expectRemovedTags(save({ display_name: 'Ada', bio: '' }), 'site');
    await expectTags(() => callAs('set_role', { person_id: person.sub, role: 'editor' }, SERVER));
  });

  test.each([
    ['bylined', true],
    ['never bylined', false],
  ])('when the account of a person who was %s is deleted', async (_, bylined) => {
    const person = await database.createUser('reporter');
    await callAs('save_me', { content: { bio: 'Rivers.' } }, person);
    if (bylined) await publishIn(await makeCoverage(), person);
    await expectRemovedTags(
      () => callAs('delete_account', { person_id: person.sub }, SERVER),
      ...(bylined ? ['lists'] : []),
    );
  });
});

describe('the follow mode', () => {
  const set = (mode: string) => () => callAs('set_surge', { mode });
  const load = () => callAs('report_load', {}, SERVER);
  const later = () => database.rows("update public.site set surge_load_until = now() - interval '1 second'");
  const since = async () =>
    (await database.rows<{ at: string }>('select surge_since::text as at from public.site'))[0]?.at;
  /** The channels that received `follow`. No other message may be broadcast, least of all to the cache. */
  async function toldBy(work: () => Promise<unknown>) {
    const sent = await database.broadcastsOf(work);
    for (const { event, payload } of sent) {
      expect({ event, payload }).toEqual({ event: 'follow', payload: { spread: LIMITS.follow_jitter_ms } });
    }
    return sent.map(({ topic }) => topic);
  }

  test('is broadcast to running coverages when a surge begins, but not when it continues or ends', async () => {
    const [draft, running, over] = [await makeCoverage('draft'), await makeCoverage(), await makeCoverage()];
    await callAs('set_coverage_state', { coverage_id: over, state: 'ended' });
    const told = await toldBy(set('on'));
    expect(told).toContain(`coverage:${running}`);
    for (const id of [draft, over]) expect(told).not.toContain(`coverage:${id}`);
    for (const same of [set('on'), load, set('auto')]) expect(await toldBy(same)).toEqual([]);

    expect(await toldBy(load)).toContain(`coverage:${running}`);
    const began = await since();
    for (const same of [load, set('on'), set('auto')]) expect(await toldBy(same)).toEqual([]);
    // The surge ends when the server reports no more load. The next report starts a new one.
    await later();
    expect(await since()).toEqual(began);
    expect(await toldBy(load)).toContain(`coverage:${running}`);
    expect(await since()).not.toEqual(began);

    // Load reports are ignored where an editor has set the mode, also afterwards.
    for (const silent of [set('off'), load, set('auto')]) expect(await toldBy(silent)).toEqual([]);
  });

  test('is broadcast when the setting of the site changes', async () => {
    const running = await makeCoverage();
    const content = { reader_follow_mode: 'checks', check_interval_seconds: 60 };
    const sent = await database.broadcastsOf(() => callAs('save_site', { content }, SERVER));
    expect(sent.filter(({ topic }) => topic === 'site')).toHaveLength(1);
    expect(sent.filter(({ event }) => event === 'follow').map(({ topic }) => topic)).toContain(
      `coverage:${running}`,
    );
  });
});

test('broadcasts every seq once and in order when several people work at the same time', async () => {
  const coverages = [await makeCoverage(), await makeCoverage()];
  const people = await Promise.all([
    database.createUser('editor'),
    database.createUser('editor'),
    database.createUser('editor'),
  ]);
  for (const person of people) await publishIn(coverages[0] as string, person);
  const acts = [
    (n: number, who: Claims) => publishIn(coverages[n % 2] as string, who),
    (n: number, who: Claims) => callAs('save_me', { content: { bio: `Version ${n}.` } }, who),
    (n: number, who: Claims) => publishIn(coverages[n % 2] as string, who),
    (n: number, who: Claims) => callAs('save_topic', { slug: `at-once-${n % 2}`, name: `Topic ${n}` }, who),
    async () => {
      const somebody = await database.createUser('reporter');
      await publishIn(coverages[0] as string, somebody);
      await database.rows('delete from auth.users where id = $1', [somebody.sub]);
    },
  ];
  const sent = await database.broadcastsOf(() =>
    Promise.all(
      Array.from({ length: 50 }, (_, n) => acts[n % acts.length]?.(n, people[n % people.length] as Claims)),
    ),
  );
  const said = sent.filter(({ topic }) => topic === 'site').map(({ payload }) => payload);
  const counted = [
    ...coverages.map((id) => said.filter(({ coverage }) => coverage === id).map(({ seq }) => Number(seq))),
    said.filter(({ site }) => site !== undefined).map(({ site }) => Number(site)),
  ];
  for (const numbers of counted) {
    expect(numbers.length).toBeGreaterThan(9);
    expect(numbers).toEqual(numbers.map((_, n) => (numbers[0] ?? 0) + n));
  }
});

test('broadcasts contain ids, numbers and addresses, but no texts', async () => {
  const all = await database.rows<Broadcast>(
    "select topic, event, payload - 'id' as payload from realtime.messages",
  );
  expect(all.length).toBeGreaterThan(50);
  const plain = /^((coverage|photos):)?[0-9a-f]{8}-|^(lists|missing|site)$|^(case|renamed)-[0-9a-f]{8}-/;
  for (const { payload } of all) {
    for (const value of Object.values(payload).flat()) {
      if (typeof value === 'string') expect(value).toMatch(plain);
      else expect(['number', 'boolean']).toContain(typeof value);
    }
  }
});
