import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { contentOf } from '../../support/actors.ts';
import { errorOf, SERVER } from '../../support/database.ts';
import { paragraph } from '../../support/newsroom.ts';
import {
  callAs,
  database,
  makeCoverage,
  ofUpdate,
  publishIn,
  toDesk,
  toReaders,
  toSite,
  useBroadcasts,
} from './broadcast-context.ts';

useBroadcasts();

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
    await expectTags(save('Floods'), 'lists', 'feeds', 'sitemaps', 'updates', 'missing');
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
    await expectRemovedTags(save({ bio: 'Rivers and bridges.' }), 'updates');
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
      ...(bylined ? ['updates'] : []),
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
  async function topicsOf(work: () => Promise<unknown>) {
    const sent = await database.broadcastsOf(work);
    for (const { event, payload } of sent) {
      expect({ event, payload }).toEqual({ event: 'follow', payload: { spread: LIMITS.follow_jitter_ms } });
    }
    return sent.map(({ topic }) => topic);
  }

  test('is broadcast to running coverages when a surge begins, but not when it continues or ends', async () => {
    const [draft, running, over] = [await makeCoverage('draft'), await makeCoverage(), await makeCoverage()];
    await callAs('set_coverage_state', { coverage_id: over, state: 'ended' });
    const topics = await topicsOf(set('on'));
    expect(topics).toContain(`coverage:${running}`);
    for (const id of [draft, over]) expect(topics).not.toContain(`coverage:${id}`);
    for (const same of [set('on'), load, set('auto')]) expect(await topicsOf(same)).toEqual([]);

    expect(await topicsOf(load)).toContain(`coverage:${running}`);
    const began = await since();
    for (const same of [load, set('on'), set('auto')]) expect(await topicsOf(same)).toEqual([]);
    // The surge ends when the server reports no more load. The next report starts a new one.
    await later();
    expect(await since()).toEqual(began);
    expect(await topicsOf(load)).toContain(`coverage:${running}`);
    expect(await since()).not.toEqual(began);

    // Load reports are ignored where an editor has set the mode, also afterwards.
    for (const silent of [set('off'), load, set('auto')]) expect(await topicsOf(silent)).toEqual([]);
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
