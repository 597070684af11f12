import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import { createCoverage, createUser, readCoverageRows, tryCall } from '../../support/actors.ts';
import { call, paragraph } from '../../support/newsroom.ts';
import { context, NO_INTERVALS, useContext, x } from './rules-context.ts';

useContext();

const topics = (count: number) => Array.from({ length: count }, (_, n) => `topic-${n}`);

const editor = () => context.actors.editor.client;

const make = (coverage_id: string, content: object) =>
  tryCall(editor(), 'create_coverage', {
    coverage_id,
    content: { slug: `case-${coverage_id}`, headline: 'A case', ...content },
  });

const FIT: [field: string, value: unknown, stored?: unknown][] = [
  ['headline', 'x'],
  ['headline', x(LIMITS.headline)],
  ['headline', '🌊'.repeat(LIMITS.headline)],
  ['headline', '  x  ', 'x'],
  ['kicker', x(LIMITS.kicker)],
  ['kicker', '', ''],
  ['kicker', null, ''],
  ['standfirst', x(LIMITS.standfirst)],
  ['standfirst', null, ''],
  ['time_zone', 'UTC'],
  ['time_zone', 'Europe/Paris'],
  ['time_zone', 'America/Argentina/Buenos_Aires'],
  ['time_zone', 'Etc/GMT+5'],
  ['time_zone', 'Etc/GMT-14'],
  ['time_zone', 'Asia/Calcutta'],
  ['time_zone', 'Japan'],
  ['language', 'en'],
  ['language', 'pt-BR'],
  ['language', 'zh-Hant-TW'],
  ['language', 'es-419'],
  ['language', 'ca-valencia'],
  ['starts_at', '2026-12-01T08:00:00+01:00', '2026-12-01T07:00:00+00:00'],
  ['starts_at', null],
  ['reader_follow_mode', 'sockets'],
  ['reader_follow_mode', 'checks'],
  ['reader_follow_mode', 'auto'],
  ['reader_follow_mode', null],
  ['check_interval_seconds', LIMITS.check_interval_min],
  ['check_interval_seconds', LIMITS.check_interval_max],
  ['check_interval_seconds', null],
];

const UNFIT: [field: string, value: unknown][] = [
  ['headline', ''],
  ['headline', ' \u00a0'],
  ['headline', '\u200b'],
  ['headline', null],
  ['headline', 7],
  ['headline', x(LIMITS.headline + 1)],
  ['headline', 'a\nb'],
  ['kicker', x(LIMITS.kicker + 1)],
  ['kicker', ['x']],
  ['standfirst', x(LIMITS.standfirst + 1)],
  ['standfirst', '\u2060'],
  ...[
    'ab',
    x(LIMITS.slug_max + 1),
    'Abc',
    'a_b',
    '-abc',
    'abc-',
    'a--b',
    'a b c',
    'été',
    'ab\nc',
    '',
    null,
    5,
    {},
  ].map((value): [string, unknown] => ['slug', value]),
  ...[
    'Paris',
    'CET',
    'EST5EDT',
    'GMT+3',
    'GMT',
    'PST',
    'Etc/GMT+99',
    'Etc/GMT-15',
    'foo+5',
    '<x>5',
    'UTC0',
    'utc',
    'europe/paris',
    'Europe/PARIS',
    'Factory',
    'localtime',
    'Foo/Bar+3',
    'Foo/Bar',
    'posix/Europe/Paris',
    'right/Europe/Paris',
    '+02:00',
    'Europe/\nParis',
    "UTC'; select 1",
    '',
    null,
    1,
  ].map((value): [string, unknown] => ['time_zone', value]),
  ...['', 'e', 'english', 'en_GB', 'en-', 'en-ab-cd', 'x-private', 'en-u-nu-latn', '12', null, 1].map(
    (value): [string, unknown] => ['language', value],
  ),
  ['starts_at', '2026-12-01T08:00:00'],
  ['starts_at', 'tomorrow'],
  ['starts_at', 1],
  ['topics', topics(LIMITS.topics + 1)],
  ['topics', ['no-such-topic']],
  ['topics', 'topic-1'],
  ['topics', null],
  ['topics', [1]],
  ['reader_follow_mode', 'never'],
  ['reader_follow_mode', 1],
  ...NO_INTERVALS.map((value): [string, unknown] => ['check_interval_seconds', value]),
  ['state', 'live'],
  ['seq', 1],
];

describe('the content and settings of a coverage', () => {
  test.each(FIT)('accept %s: %o', async (field, value, stored = value) => {
    const coverage_id = randomUUID();
    expect(await make(coverage_id, { [field]: value })).toMatchObject({ code: 'ok' });
    const [coverage] = (await readCoverageRows(context.service, coverage_id)).coverage;
    expect(coverage[field]).toEqual(stored);
  });

  test.each(UNFIT)('refuse %s: %o, in a new and in an existing coverage', async (field, value) => {
    const coverage_id = randomUUID();
    const refusal = { code: 'invalid', status: 422, field, details: { reason: expect.any(String) } };
    expect(await make(coverage_id, { [field]: value })).toMatchObject(refusal);
    expect(await readCoverageRows(context.service, coverage_id)).toMatchObject({
      coverage: [],
      slugs: [],
      versions: [],
    });

    const known = await createCoverage(context.service);
    const before = await readCoverageRows(context.service, known);
    const change = { coverage_id: known, version: 1, content: { [field]: value } };
    expect(await tryCall(editor(), 'save_coverage', change)).toMatchObject(refusal);
    expect(await readCoverageRows(context.service, known)).toEqual(before);
  });

  test.each([3, LIMITS.slug_max])('accept a slug of %i characters', async (length) => {
    const slug = randomUUID().replaceAll('-', '').repeat(3).slice(0, length);
    expect(await make(randomUUID(), { slug })).toMatchObject({ code: 'ok', result: { slug } });
  });

  test('accept up to the maximum of topics, each once, and none', async () => {
    const coverage_id = randomUUID();
    await make(coverage_id, { topics: topics(LIMITS.topics) });
    expect((await readCoverageRows(context.service, coverage_id)).topics).toHaveLength(LIMITS.topics);
    const change = async (version: number, all: string[]) => {
      await call(editor(), 'save_coverage', { coverage_id, version, content: { topics: all } });
      return (await readCoverageRows(context.service, coverage_id)).topics;
    };
    expect(await change(1, ['topic-1', 'topic-1'])).toHaveLength(1);
    expect(await change(2, [])).toHaveLength(0);
  });

  test('accept every time zone, and only languages that Intl knows', async () => {
    for (const time_zone of Intl.supportedValuesOf('timeZone').filter((_, n) => n % 9 === 0)) {
      expect(await make(randomUUID(), { time_zone }), time_zone).toMatchObject({ code: 'ok' });
    }
    for (const [field, value] of FIT) {
      if (field === 'language') expect(Intl.getCanonicalLocales(String(value))).toHaveLength(1);
      if (field === 'time_zone') new Intl.DateTimeFormat('en', { timeZone: String(value) });
    }
  });

  test('change the follow mode without a new version of the page', async () => {
    const coverage_id = await createCoverage(context.service);
    const contents = [
      { reader_follow_mode: 'checks', check_interval_seconds: 60 },
      { check_interval_seconds: null, kicker: 'Now' },
    ];
    for (const [n, content] of contents.entries()) {
      await call(editor(), 'save_coverage', { coverage_id, version: n + 1, content });
    }
    const { data } = await context.service
      .from('coverage_changes')
      .select('kind')
      .eq('coverage_id', coverage_id)
      .order('seq');
    expect(data?.map(({ kind }) => kind)).toEqual(['state', 'follow', 'settings']);
  });

  test('refuse to overwrite a newer version', async () => {
    const coverage_id = await createCoverage(context.service);
    await call(editor(), 'save_coverage', { coverage_id, version: 1, content: { kicker: 'Now' } });
    const before = await readCoverageRows(context.service, coverage_id);
    for (const [act, args] of [
      ['save_coverage', { content: { kicker: 'Late' } }],
      ['set_summary', { summary: [] }],
    ] as const) {
      const { error } = await editor().rpc(act, {
        idempotency_key: randomUUID(),
        coverage_id,
        version: 1,
        ...args,
      });
      expect(error).toMatchObject({
        code: 'PT409',
        message: 'conflict',
        details: '{"reason": "version_outdated", "version": 2}',
      });
    }
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
  });
});

describe('the summary', () => {
  const summarise = async (summary: unknown) => {
    const coverage_id = await createCoverage(context.service);
    const outcome = await tryCall(editor(), 'set_summary', { coverage_id, version: 1, summary });
    return { outcome, coverage: (await readCoverageRows(context.service, coverage_id)).coverage[0] };
  };
  const blocks = (count: number) => Array.from({ length: count }, () => paragraph('x'));

  test.each([0, 1, LIMITS.body_blocks])('accepts %i blocks', async (count) => {
    const { outcome, coverage } = await summarise(blocks(count));
    expect(outcome).toMatchObject({ code: 'ok' });
    expect(coverage).toMatchObject({ summary: blocks(count), version: 2 });
  });

  test.each([
    [blocks(LIMITS.body_blocks + 1)],
    [[paragraph(x(LIMITS.body_characters + 1))]],
    [[{ type: 'paragraph', runs: [{ text: 'x', link: 'javascript:alert(1)' }] }]],
    [{}],
    [null],
  ])('refuses %j', async (summary) => {
    const { outcome, coverage } = await summarise(summary);
    expect(outcome).toMatchObject({ code: 'invalid', status: 422, field: 'summary' });
    expect(coverage).toMatchObject({ summary: [], version: 1 });
  });
});

describe('the versions of the summary', () => {
  test('are listed newest first to people who may read the desk', async () => {
    const coverage_id = await createCoverage(context.service);
    const summaries = [[paragraph('One.')], [paragraph('Two.')], []];
    for (const [n, summary] of summaries.entries()) {
      const version = 2 * n + 1;
      await call(editor(), 'set_summary', { coverage_id, version, summary });
      await call(editor(), 'save_coverage', {
        coverage_id,
        version: version + 1,
        content: { kicker: `${n}` },
      });
    }
    const read = async (who: 'reporter' | 'outsider', more: object = {}) =>
      (await context.actors[who].client.rpc('summary_versions', { coverage_id, ...more })).data;
    const versions = await read('reporter');
    expect(versions).toEqual(
      [6, 4, 2].map((version, n) => ({
        version,
        summary: summaries[2 - n],
        at: expect.any(String),
        by: expect.any(String),
      })),
    );
    expect(await read('reporter', { before: 4 })).toEqual(versions?.slice(2));
    expect(await read('outsider')).toEqual([]);
  });
});

describe('a membership in a coverage', () => {
  const place = async (args: object) => {
    const coverage_id = await createCoverage(context.service);
    const person_id = context.actors.contributor.id;
    const outcome = await tryCall(editor(), 'set_coverage_member', { coverage_id, person_id, ...args });
    return { outcome, members: (await readCoverageRows(context.service, coverage_id)).members };
  };

  test('expires after thirty days by default', async () => {
    const { members } = await place({});
    const days = (Date.parse(members[0]?.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(LIMITS.contributor_days);
    const expires_at = '2027-01-01T00:00:00+00:00';
    expect((await place({ expires_at })).members).toMatchObject([{ expires_at }]);
  });

  test.each(['reader', 'reporter', 'editor'] as const)('is refused for a person who is %s', async (who) => {
    const { outcome, members } = await place({ person_id: context.actors[who].id });
    expect(outcome).toMatchObject({ code: 'invalid', status: 422, field: 'person_id' });
    expect(members).toEqual([]);
  });

  test.each([randomUUID(), null])('is refused without a person: %s', async (person_id) => {
    expect((await place({ person_id })).outcome).toMatchObject({ code: 'invalid', field: 'person_id' });
  });

  test('ends at once with a time in the past, also for a person who is no longer a contributor', async () => {
    const person = await createUser(context, 'contributor', 'Ada Tide');
    const coverage_id = await createCoverage(context.service);
    const set = (args: object) =>
      tryCall(editor(), 'set_coverage_member', { coverage_id, person_id: person.id, ...args });
    const people = async (search?: string) =>
      (await editor().rpc('coverage_people', { coverage_id, ...(search && { search }) })).data;
    const row = { id: person.id, display_name: 'Ada Tide', role: 'contributor' };
    expect(await people('ada ti')).toMatchObject([{ ...row, expires_at: null, added_by: null }]);
    await set({});
    expect(await people()).toMatchObject([{ ...row, added_by: expect.any(String) }]);
    await call(context.service, 'set_role', { person_id: person.id, role: 'reporter' });
    expect(await people('ada ti')).toEqual([]);
    expect(await set({})).toMatchObject({ code: 'invalid', field: 'person_id' });
    const before = Date.now();
    expect(await set({ expires_at: '1970-01-01T00:00:00Z' })).toMatchObject({ code: 'ok' });
    const [ended] = (await people()) ?? [];
    expect(Date.parse(ended.expires_at) - before).toBeGreaterThan(-60_000);
    expect(Date.parse(ended.expires_at)).toBeLessThanOrEqual(Date.now() + 60_000);
    const { error } = await context.actors.reporter.client.rpc('coverage_people', { coverage_id });
    expect(error).toMatchObject({ code: 'PT403' });
  });

  test('is refused without an end', async () => {
    // Browsers cannot show years after 9999.
    for (const expires_at of ['infinity', '10000-01-01T00:00:00Z', '294276-12-31T00:00:00Z']) {
      const { outcome, members } = await place({ expires_at });
      expect(outcome, expires_at).toMatchObject({ code: 'invalid', field: 'expires_at' });
      expect(members).toEqual([]);
    }
  });
});

describe('a topic', () => {
  const topic = (args: object) =>
    tryCall(editor(), 'save_topic', { slug: 'weather', name: 'Weather', ...args });

  test.each([
    [{ name: x(LIMITS.topic_name) }],
    [{ description: x(LIMITS.topic_description) }],
    [{ description: '' }],
  ])('accepts %o', async (args) => {
    expect(await topic(args)).toMatchObject({ code: 'ok' });
    expect((await context.service.from('topics').select('*').eq('slug', 'weather')).data).toMatchObject([
      args,
    ]);
  });

  test.each([
    ['name', x(LIMITS.topic_name + 1)],
    ['name', ' '],
    ['name', null],
    ['description', x(LIMITS.topic_description + 1)],
    ['description', null],
    ['slug', 'No'],
    ['slug', null],
  ])('refuses %s: %o', async (field, value) => {
    const before = (await context.service.from('topics').select('*').order('slug')).data;
    expect(await topic({ [field]: value })).toMatchObject({ code: 'invalid', status: 422, field });
    expect((await context.service.from('topics').select('*').order('slug')).data).toEqual(before);
  });
});
