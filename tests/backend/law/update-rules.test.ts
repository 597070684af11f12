import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/lib/limits.ts';
import { type Courtroom, makeCase, openCourtroom, press, recordOf, says } from '../../support/law.ts';
import { call, paragraph } from '../../support/newsroom.ts';

let court: Courtroom;
/** A live coverage that takes what is well formed. */
let coverage_id: string;
beforeAll(async () => {
  court = await openCourtroom();
  coverage_id = await makeCase(court);
});
afterAll(() => court.stop());

const x = (times: number) => 'x'.repeat(times);
const ZERO_WIDTH = '\u200b\u200d\u2060\ufeff';
/** What a line may not be, whatever its limit; none of it can be seen or it is more than one line. */
const UNFIT: [name: string, value: unknown][] = [
  ['a number', 42],
  ['an object', { text: 'x' }],
  ['zero-width characters only', ZERO_WIDTH],
  ['a blank of Braille or Hangul', '\u2800\u3164'],
  ['a control character', 'a\u0007b'],
  ['a C1 control character', 'a\u009bb'],
];
const BROKEN: [name: string, value: unknown][] = [
  ['a line feed', 'a\nb'],
  ['a line separator', 'a\u2028b'],
];

type Case = { field: string; name: string; value: unknown; stored?: unknown };

const line = (field: string, most: number): { fit: Case[]; unfit: Case[] } => ({
  fit: [
    { field, name: 'one character', value: 'x' },
    { field, name: `${most} characters`, value: x(most) },
    { field, name: `${most} emoji, each one character`, value: '🌊'.repeat(most) },
    { field, name: 'white space around it', value: ' \u00a0a b\u3000\n', stored: 'a b' },
    { field, name: 'marks of direction', value: '\u2067שלום\u2069 12' },
  ],
  unfit: [
    { field, name: `${most + 1} characters`, value: x(most + 1) },
    { field, name: `${most + 1} emoji`, value: '🌊'.repeat(most + 1) },
    ...UNFIT.map(([name, value]) => ({ field, name, value })),
    ...BROKEN.map(([name, value]) => ({ field, name, value })),
  ],
});

const lines = (field: string, most: number): { fit: Case[]; unfit: Case[] } => {
  const { fit, unfit } = line(field, most);
  return {
    fit: [...fit, { field, name: 'two lines', value: 'a\nb' }],
    unfit: unfit.filter(({ name }) => name !== 'a line feed'),
  };
};

const together = (...parts: { fit: Case[]; unfit: Case[] }[]) => ({
  fit: parts.flatMap(({ fit }) => fit),
  unfit: parts.flatMap(({ unfit }) => unfit),
});

const block = (name: string, ...blocks: unknown[]): Case => ({ field: 'body', name, value: blocks });
const runs = (...all: unknown[]) => ({ type: 'paragraph', runs: all });
const linked = (link: unknown) => runs({ text: 'there', link });
const card = (more: object) => ({ type: 'link', url: 'https://example.org/', title: 'There', ...more });
const address = (length: number) => `https://example.org/${x(length - 20)}`;

const BODIES: { fit: Case[]; unfit: Case[] } = {
  fit: [
    block(
      `${LIMITS.body_blocks} blocks`,
      ...Array.from({ length: LIMITS.body_blocks }, () => paragraph('x')),
    ),
    block(`${LIMITS.body_characters} characters`, paragraph(x(LIMITS.body_characters))),
    block(`${LIMITS.body_characters} emoji`, paragraph('🌊'.repeat(LIMITS.body_characters))),
    block('marked runs', runs({ text: 'a', bold: true, italic: false }, { text: ' ' }, { text: 'b' })),
    block(
      'a list',
      { type: 'list', items: [[{ text: 'a' }]] },
      { type: 'list', ordered: true, items: [[{ text: 'b' }]] },
    ),
    block('a quote of two lines', { type: 'quote', text: 'a\nb', attribution: x(LIMITS.attribution) }),
    block(
      'a whole link card',
      card({
        title: x(LIMITS.link_title),
        description: x(LIMITS.link_description),
        site: x(LIMITS.link_site),
      }),
    ),
    block('http', linked('http://example.org')),
    block('a port, a query and a fragment', linked('https://example.org:8443/a?b=c&d#e')),
    block('an address that is not ASCII', linked('https://fr.example.org/élysée')),
    block(`an address of ${LIMITS.url} characters`, linked(address(LIMITS.url))),
  ],
  unfit: [
    block('no block'),
    block(
      `${LIMITS.body_blocks + 1} blocks`,
      ...Array.from({ length: LIMITS.body_blocks + 1 }, () => paragraph('x')),
    ),
    block(`${LIMITS.body_characters + 1} characters`, paragraph(x(LIMITS.body_characters + 1))),
    block('too many characters over several blocks', ...['a', 'b'].map((c) => paragraph(c.repeat(5_000)))),
    block(
      'few characters, but a hundred kilobytes of links',
      runs(...Array.from({ length: 80 }, () => ({ text: 'x', link: address(LIMITS.url) }))),
    ),
    { field: 'body', name: 'text', value: 'Hello.' },
    { field: 'body', name: 'null', value: null },
    { field: 'body', name: 'an object', value: { type: 'paragraph' } },
    block('a block of text', 'Hello.'),
    block('a block of null', null),
    block('a list of lists', [[[[[[]]]]]]),
    block('no type', { runs: [{ text: 'x' }] }),
    block('an unknown type', { type: 'html', runs: [{ text: 'x' }] }),
    block('a photo, which is not kept yet', { type: 'photo', photo: randomUUID() }),
    block('an unknown key', { ...paragraph('x'), class: 'red' }),
    block('an unknown key of a run', runs({ text: 'x', onclick: 'x' })),
    block('no runs', { type: 'paragraph' }),
    block('an empty paragraph', runs()),
    block('a paragraph of white space', runs({ text: ' \u00a0\u3000' })),
    block('a paragraph of zero width', runs({ text: ZERO_WIDTH })),
    block('an empty run', runs({ text: 'x' }, { text: '' })),
    block('a run of a number', runs({ text: 1 })),
    block('a run of text', runs('x')),
    block('a run of null', runs({ text: 'x' }, null)),
    block('a line feed in a run', runs({ text: 'a\nb' })),
    block('a line separator in a run', runs({ text: 'a\u2028b' })),
    block('boldness as text', runs({ text: 'x', bold: 'true' })),
    block('boldness as null', runs({ text: 'x', bold: null })),
    block('an empty list', { type: 'list', items: [] }),
    block('a list with an empty item', { type: 'list', items: [[{ text: 'a' }], []] }),
    block('a list of text', { type: 'list', items: ['a'] }),
    block('a list ordered as text', { type: 'list', ordered: 'yes', items: [[{ text: 'a' }]] }),
    block('a list within a list', { type: 'list', items: [[[{ text: 'a' }]]] }),
    block('a quote without words', { type: 'quote', text: ' ' }),
    block('a quote of a number', { type: 'quote', text: 1 }),
    block('a quote by nobody', { type: 'quote', text: 'x', attribution: '' }),
    block('a quote by too long a name', { type: 'quote', text: 'x', attribution: x(LIMITS.attribution + 1) }),
    block('a card without a title', { type: 'link', url: 'https://example.org/' }),
    block('a card with too long a title', card({ title: x(LIMITS.link_title + 1) })),
    block('a card with too long a description', card({ description: x(LIMITS.link_description + 1) })),
    block('a card with too long a site', card({ site: x(LIMITS.link_site + 1) })),
    block('a card that leads nowhere', card({ url: 'javascript:alert(1)' })),
    ...[
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' https://example.org/',
      'data:text/html,x',
      'ftp://example.org/',
      'mailto:desk@example.org',
      '//example.org/',
      '/relative',
      'https:example.org',
      'https://',
      'https:///path',
      'https://name:secret@example.org/',
      'https://example.org@evil.example/',
      'https://example.org/a b',
      'https://example.org/"onclick="x',
      'https://example.org/<script>',
      'https://example.org/\\evil',
      'https://exa\u202emple.org/',
      'https://exa\u200bmple.org/',
      'https://example.org/\n',
      address(LIMITS.url + 1),
      '',
      null,
      1,
      {},
    ].map((link) => block(`a link to ${JSON.stringify(link).slice(0, 40)}`, linked(link))),
  ],
};

const WORDS: { fit: Case[]; unfit: Case[] } = {
  fit: [
    ...[true, false].map((value) => ({ field: 'key_event', name: String(value), value })),
    ...['normal', 'important', 'urgent'].map((value) => ({ field: 'urgency', name: value, value })),
    ...['unverified', 'developing', 'confirmed'].map((value) => ({
      field: 'verification',
      name: value,
      value,
    })),
    ...[
      ['2026-03-01T14:05:00Z', '2026-03-01T14:05:00+00:00'],
      ['2026-03-01T14:05+02:00', '2026-03-01T12:05:00+00:00'],
    ].map(([value, stored]) => ({ field: 'occurred_at', name: String(value), value, stored })),
  ],
  unfit: [
    ...['true', 1, null, {}].map((value) => ({ field: 'key_event', name: JSON.stringify(value), value })),
    ...['Urgent', 'breaking', 1, ['urgent']].map((value) => ({
      field: 'urgency',
      name: JSON.stringify(value),
      value,
    })),
    ...['maybe', true].map((value) => ({ field: 'verification', name: JSON.stringify(value), value })),
    ...[
      '2026-03-01T14:05:00',
      '2026-03-01',
      'yesterday',
      '2026-02-30T00:00:00Z',
      '2026-03-01T25:00:00Z',
      'infinity',
      1,
      {},
    ].map((value) => ({ field: 'occurred_at', name: JSON.stringify(value), value })),
    { field: 'bylines', name: 'a person nobody knows', value: [randomUUID()] },
    { field: 'bylines', name: 'no id', value: ['x'] },
    { field: 'bylines', name: 'no array', value: 'x' },
    { field: 'state', name: 'a field of ours', value: 'published' },
    { field: 'constructor', name: 'a field of nobody', value: 1 },
  ],
};

const CONTENT = together(
  line('headline', LIMITS.update_headline),
  line('attribution', LIMITS.attribution),
  line('dateline', LIMITS.dateline),
  lines('desk_note', LIMITS.desk_note),
  BODIES,
  WORDS,
);

const publish = (content: unknown, update_id = randomUUID()) =>
  press(court.parties.editor.client, 'publish_update', { coverage_id, update_id, content });

describe('the content of an update', () => {
  test.each(CONTENT.fit)('$field: $name', async ({ field, value, stored = value }) => {
    const update_id = randomUUID();
    expect(await publish(says('Words.', { [field]: value }), update_id)).toMatchObject({ code: 'ok' });
    const { data } = await court.service.from('desk_updates').select('*').eq('id', update_id).single();
    expect(data?.[field]).toEqual(stored);
  });

  test.each(CONTENT.unfit)('not $field: $name', async ({ field, value }) => {
    const before = await court.service.from('coverages').select('*').eq('id', coverage_id).single();
    const update_id = randomUUID();
    expect(await publish(says('Words.', { [field]: value }), update_id)).toMatchObject({
      code: 'invalid',
      status: 422,
      field,
      hint: expect.stringMatching(/^[A-Z].*\.$/),
    });
    expect((await court.service.from('desk_updates').select('*').eq('id', update_id)).data).toEqual([]);
    expect(await court.service.from('coverages').select('*').eq('id', coverage_id).single()).toEqual(before);
  });

  test.each([
    ['headline', '  '],
    ['headline', ''],
    ['headline', null],
    ['occurred_at', ''],
    ['dateline', '\u00a0'],
  ])('%s left as %o is none', async (field, value) => {
    const update_id = randomUUID();
    expect(await publish(says('Words.', { [field]: value }), update_id)).toMatchObject({ code: 'ok' });
    const { data } = await court.service.from('desk_updates').select('*').eq('id', update_id).single();
    expect(data?.[field]).toBeNull();
  });

  test.each([[null], [[]], [1]])('is an object, not %o', async (content) => {
    expect(await publish(content)).toMatchObject({ code: 'invalid', field: 'content' });
  });

  test.each([
    ['nothing', [], /^Write/],
    ['too many blocks', Array.from({ length: 50 }, () => paragraph('x')), /40 blocks: this has 50/],
    ['one paragraph too long', [paragraph(x(12_345))], /10000 characters: this has 12345/],
    ['more than is ever kept', [paragraph(x(200_000))], /^Shorten/],
    ['a quote too long', [{ type: 'quote', text: x(10_001) }], /10000 characters: this has 10001/],
    ['a wrong link', [linked('javascript:alert(1)')], /links are http or https/],
  ])('says what to mend: %s', async (_name, body, hint) => {
    expect((await publish({ body })).hint).toMatch(hint);
  });

  test('needs an id made for it, and one made for the press', async () => {
    const { client } = court.parties.editor;
    const content = says('Words.');
    for (const act of ['publish_update', 'save_update']) {
      expect(await press(client, act, { coverage_id, update_id: null, content })).toMatchObject({
        code: 'invalid',
        field: 'update_id',
      });
      expect(
        await press(client, act, { op: null, coverage_id, update_id: randomUUID(), content }),
      ).toMatchObject({
        code: 'invalid',
        field: 'op',
      });
    }
  });

  test.each([
    ['a lone surrogate', '"\\ud800"'],
    ['a NUL', '"a\\u0000b"'],
  ])('%s, which is no text, is refused before it is read', async (_name, headline) => {
    const before = await recordOf(court.service, coverage_id);
    const session = await court.parties.editor.client.auth.getSession();
    const answer = await fetch(`${court.backend.url}/rest/v1/rpc/publish_update`, {
      method: 'POST',
      headers: {
        apikey: court.backend.publishableKey,
        authorization: `Bearer ${session.data.session?.access_token}`,
        'content-type': 'application/json',
      },
      body: `{"op":"${randomUUID()}","coverage_id":"${coverage_id}","update_id":"${randomUUID()}","content":{"headline":${headline},"body":[{"type":"paragraph","runs":[{"text":"x"}]}]}}`,
    });
    expect(answer.status).toBe(400);
    expect(await recordOf(court.service, coverage_id)).toEqual(before);
  });
});

describe('bylines', () => {
  const bylines = async (ids: unknown) => {
    const update_id = randomUUID();
    const outcome = await publish(says('Words.', { bylines: ids }), update_id);
    const { data } = await court.service.from('desk_updates').select('bylines').eq('id', update_id);
    return { outcome, names: (data?.[0]?.bylines as { id: string }[] | undefined)?.map(({ id }) => id) };
  };
  const idOf = (who: keyof Courtroom['parties']) => String(court.parties[who].id);

  test('are the author when none are named', async () => {
    expect((await bylines(undefined)).names).toEqual([idOf('editor')]);
    expect((await bylines([])).names).toEqual([idOf('editor')]);
  });

  test('keep their order, and take ids in capitals', async () => {
    const names = [idOf('reporter'), idOf('contributor'), idOf('editor')];
    expect((await bylines(names.map((id) => id.toUpperCase()))).names).toEqual(names);
  });

  test.each(['reader', 'deactivated'] as const)('are not a person who is %s', async (who) => {
    expect((await bylines([idOf(who)])).outcome).toMatchObject({ code: 'invalid', field: 'bylines' });
  });

  test('name nobody twice', async () => {
    expect((await bylines([idOf('reporter'), idOf('reporter')])).outcome).toMatchObject({ field: 'bylines' });
  });

  test('are at most eight', async () => {
    const staff = [
      'contributor',
      'outsider',
      'expired',
      'reporter',
      'colleague',
      'moderator',
      'editor',
      'owner',
    ] as const;
    expect(staff).toHaveLength(LIMITS.bylines);
    expect((await bylines(staff.map(idOf))).names).toHaveLength(LIMITS.bylines);
    expect((await bylines([...staff.map(idOf), idOf('deactivated')])).outcome).toMatchObject({
      field: 'bylines',
    });
  });

  test('of somebody who has left stay when a typing error is mended', async () => {
    const update_id = randomUUID();
    const colleague = idOf('colleague');
    await call(court.service, 'set_active', { person_id: colleague, active: true });
    await publish(says('Wrods.', { bylines: [colleague] }), update_id);
    await call(court.service, 'set_active', { person_id: colleague, active: false });
    const mended = { update_id, version: 1, content: says('Words.', { bylines: [colleague] }) };
    expect(await press(court.parties.editor.client, 'revise_update', mended)).toMatchObject({ code: 'ok' });
    await call(court.service, 'set_active', { person_id: colleague, active: true });
  });
});

describe('what readers are told', () => {
  const published = async () => {
    const update_id = randomUUID();
    await publish(says('Words.'), update_id);
    return update_id;
  };
  const correct = async (note: unknown, more: object = {}) =>
    press(court.parties.editor.client, 'correct_update', {
      update_id: await published(),
      version: 1,
      content: says('Right.'),
      note,
      ...more,
    });
  const withdraw = async (reason: unknown) =>
    press(court.parties.editor.client, 'withdraw_update', { update_id: await published(), reason });

  test.each([['x'], [x(LIMITS.note)], ['Two\nlines.'], ['  around  ']])('%s', async (note) => {
    expect(await correct(note)).toMatchObject({ code: 'ok' });
    expect(await withdraw(note)).toMatchObject({ code: 'ok' });
  });

  test.each([[''], ['   '], [null], [ZERO_WIDTH], [x(LIMITS.note + 1)], ['a\u0007']])(
    'not %o',
    async (note) => {
      const before = await recordOf(court.service, coverage_id);
      expect(await correct(note)).toMatchObject({ code: 'invalid', status: 422, field: 'note' });
      expect(await withdraw(note)).toMatchObject({ code: 'invalid', status: 422, field: 'reason' });
      const after = await recordOf(court.service, coverage_id);
      // Two were published for it, and nothing else happened.
      expect(after.changes.length).toBe(before.changes.length + 2);
      expect(after.revisions.length).toBe(before.revisions.length + 2);
    },
  );

  test.each([['revision'], ['withdrawal'], [null]])('is no correction by being called a %s', async (kind) => {
    expect(await correct('A name.', { kind })).toMatchObject({ code: 'invalid', field: 'kind' });
  });
});
