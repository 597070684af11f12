import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { LIMITS } from '../../../src/lib/domain/limits.ts';
import {
  contentOf,
  createSharedCoverage,
  readCoverageRows,
  type TestContext,
  tryCall,
} from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import { call, paragraph } from '../../support/newsroom.ts';
import { CONTENT, linked, x, ZERO_WIDTH } from './content-cases.ts';

let context: TestContext;
/** A live coverage for valid updates. */
let coverage_id: string;
test.beforeAll(async ({ context: shared }) => {
  context = shared;
  coverage_id = await createSharedCoverage(context);
});

const publish = (content: unknown, update_id = randomUUID()) =>
  tryCall(context.actors.editor.client, 'publish_update', { coverage_id, update_id, content });

describe('the content of an update', () => {
  test.each(CONTENT.fit)('accepts $field: $name', async ({ field, value, stored = value }) => {
    const update_id = randomUUID();
    expect(await publish(contentOf('Words.', { [field]: value }), update_id)).toMatchObject({ code: 'ok' });
    const { data } = await context.service.from('desk_updates').select('*').eq('id', update_id).single();
    expect(data?.[field]).toEqual(stored);
  });

  test.each(CONTENT.unfit)('refuses $field: $name', async ({ field, value }) => {
    const before = await context.service.from('coverages').select('*').eq('id', coverage_id).single();
    const update_id = randomUUID();
    expect(await publish(contentOf('Words.', { [field]: value }), update_id)).toMatchObject({
      code: 'invalid',
      status: 422,
      field,
      details: { reason: expect.any(String) },
    });
    expect((await context.service.from('desk_updates').select('*').eq('id', update_id)).data).toEqual([]);
    expect(await context.service.from('coverages').select('*').eq('id', coverage_id).single()).toEqual(
      before,
    );
  });

  test.each([
    ['headline', '  '],
    ['headline', ''],
    ['headline', null],
    ['occurred_at', ''],
    ['dateline', '\u00a0'],
  ])('stores %s as null when it is %o', async (field, value) => {
    const update_id = randomUUID();
    expect(await publish(contentOf('Words.', { [field]: value }), update_id)).toMatchObject({ code: 'ok' });
    const { data } = await context.service.from('desk_updates').select('*').eq('id', update_id).single();
    expect(data?.[field]).toBeNull();
  });

  test.each([[null], [[]], [1]])('must be an object, not %o', async (content) => {
    expect(await publish(content)).toMatchObject({ code: 'invalid', field: 'content' });
  });

  test.each([
    ['nothing', [], { reason: 'text_missing' }],
    [
      'too many blocks',
      Array.from({ length: 50 }, () => paragraph('x')),
      { reason: 'too_many_blocks', max: 40, count: 50 },
    ],
    [
      'one paragraph too long',
      [paragraph(x(12_345))],
      { reason: 'too_many_characters', max: 10_000, count: 12_345 },
    ],
    ['more than is ever kept', [paragraph(x(200_000))], { reason: 'body_too_large' }],
    [
      'a quote too long',
      [{ type: 'quote', text: x(10_001) }],
      { reason: 'too_many_characters', max: 10_000, count: 10_001 },
    ],
    [
      'a table of ten thousand cells',
      [{ type: 'table', rows: Array.from({ length: 1000 }, () => Array(10).fill([])) }],
      { reason: 'table_too_large', rows: 200, columns: 12 },
    ],
    [
      'a table of 13 columns',
      [{ type: 'table', rows: [Array(13).fill([{ text: 'a' }]), Array(13).fill([])] }],
      { reason: 'table_too_large', rows: 200, columns: 12 },
    ],
    [
      'a map outside of the world',
      [{ type: 'map', name: 'Hall', latitude: 95, longitude: 0 }],
      { reason: 'invalid_map', max: 80 },
    ],
    [
      'a video at another site',
      [{ type: 'media', url: 'https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ', title: 'x' }],
      { reason: 'media_address' },
    ],
    ['a video without a title', [{ type: 'media', url: 'https://vimeo.com/1' }], { reason: 'invalid_block' }],
    ['a wrong link', [linked('javascript:alert(1)')], { reason: 'invalid_block' }],
  ])('gives the reason for: %s', async (_name, body, details) => {
    expect((await publish({ body })).details).toEqual({ field: 'body', ...details });
  });

  test('needs an id and an idempotency key', async () => {
    const { client } = context.actors.editor;
    const content = contentOf('Words.');
    for (const act of ['publish_update', 'save_update']) {
      expect(await tryCall(client, act, { coverage_id, update_id: null, content })).toMatchObject({
        code: 'invalid',
        field: 'update_id',
      });
      expect(
        await tryCall(client, act, { idempotency_key: null, coverage_id, update_id: randomUUID(), content }),
      ).toMatchObject({
        code: 'invalid',
        field: 'idempotency_key',
      });
    }
  });

  test.each([
    ['a lone surrogate', '"\\ud800"'],
    ['a NUL', '"a\\u0000b"'],
  ])('%s is refused before it is parsed', async (_name, headline) => {
    const before = await readCoverageRows(context.service, coverage_id);
    const session = await context.actors.editor.client.auth.getSession();
    const answer = await fetch(`${context.backend.url}/rest/v1/rpc/publish_update`, {
      method: 'POST',
      headers: {
        ...context.backend.headers,
        apikey: context.backend.publishableKey,
        authorization: `Bearer ${session.data.session?.access_token}`,
        'content-type': 'application/json',
      },
      body: `{"idempotency_key":"${randomUUID()}","coverage_id":"${coverage_id}","update_id":"${randomUUID()}","content":{"headline":${headline},"body":[{"type":"paragraph","runs":[{"text":"x"}]}]}}`,
    });
    expect(answer.status).toBe(400);
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
  });
});

describe('bylines', () => {
  const bylines = async (ids: unknown) => {
    const update_id = randomUUID();
    const outcome = await publish(contentOf('Words.', { bylines: ids }), update_id);
    const { data } = await context.service.from('desk_updates').select('bylines').eq('id', update_id);
    return { outcome, names: (data?.[0]?.bylines as { id: string }[] | undefined)?.map(({ id }) => id) };
  };
  const idOf = (who: keyof TestContext['actors']) => String(context.actors[who].id);

  test('contain the author by default', async () => {
    expect((await bylines(undefined)).names).toEqual([idOf('editor')]);
    expect((await bylines([])).names).toEqual([idOf('editor')]);
  });

  test('keep their order, and accept ids in capitals', async () => {
    const names = [idOf('reporter'), idOf('contributor'), idOf('editor')];
    expect((await bylines(names.map((id) => id.toUpperCase()))).names).toEqual(names);
  });

  test.each(['reader', 'deactivated'] as const)('cannot contain a person who is %s', async (who) => {
    expect((await bylines([idOf(who)])).outcome).toMatchObject({ code: 'invalid', field: 'bylines' });
  });

  test('name each person at most once', async () => {
    expect((await bylines([idOf('reporter'), idOf('reporter')])).outcome).toMatchObject({ field: 'bylines' });
  });

  test('contain at most eight people', async () => {
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

  test('of former staff stay when an update is revised', async () => {
    const update_id = randomUUID();
    // Not a person who is active in other files: deactivation ends their sessions.
    const former = idOf('deactivated');
    await call(context.service, 'set_active', { person_id: former, active: true });
    await publish(contentOf('Wrods.', { bylines: [former] }), update_id);
    await call(context.service, 'set_active', { person_id: former, active: false });
    const mended = { update_id, version: 1, content: contentOf('Words.', { bylines: [former] }) };
    expect(await tryCall(context.actors.editor.client, 'revise_update', mended)).toMatchObject({
      code: 'ok',
    });
  });
});

describe('notes and reasons for readers', () => {
  const published = async () => {
    const update_id = randomUUID();
    await publish(contentOf('Words.'), update_id);
    return update_id;
  };
  const correct = async (note: unknown, more: object = {}) =>
    tryCall(context.actors.editor.client, 'correct_update', {
      update_id: await published(),
      version: 1,
      content: contentOf('Right.'),
      note,
      ...more,
    });
  const withdraw = async (reason: unknown) =>
    tryCall(context.actors.editor.client, 'withdraw_update', { update_id: await published(), reason });

  test.each([['x'], [x(LIMITS.note)], ['Two\nlines.'], ['  around  ']])('accept %s', async (note) => {
    expect(await correct(note)).toMatchObject({ code: 'ok' });
    expect(await withdraw(note)).toMatchObject({ code: 'ok' });
  });

  test.each([[''], ['   '], [null], [ZERO_WIDTH], [x(LIMITS.note + 1)], ['a\u0007']])(
    'refuse %o',
    async (note) => {
      const before = await readCoverageRows(context.service, coverage_id);
      expect(await correct(note)).toMatchObject({ code: 'invalid', status: 422, field: 'note' });
      expect(await withdraw(note)).toMatchObject({ code: 'invalid', status: 422, field: 'reason' });
      const after = await readCoverageRows(context.service, coverage_id);
      // Two updates were published for it, and nothing else changed.
      expect(after.changes.length).toBe(before.changes.length + 2);
      expect(after.revisions.length).toBe(before.revisions.length + 2);
    },
  );

  test.each([['revision'], ['withdrawal'], [null]])(
    'of a correction cannot have the kind %s',
    async (kind) => {
      expect(await correct('A name.', { kind })).toMatchObject({ code: 'invalid', field: 'kind' });
    },
  );
});
