import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  contentOf,
  createCoverage,
  openTestContext,
  readCoverageRows,
  type TestContext,
  tryCall,
} from '../../support/actors.ts';
import { signUp } from '../../support/backend.ts';
import { call } from '../../support/newsroom.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

const owners = async () =>
  (await context.service.from('people').select('id').eq('role', 'owner').eq('active', true)).data?.map(
    ({ id }) => id,
  );

describe('the last owner', () => {
  type Owner = { id: string; client: SupabaseClient };
  let first: Owner;
  let second: Owner;
  beforeEach(async () => {
    const make = async () => {
      const { client, user } = await signUp(context.backend);
      await call(context.service, 'set_role', { person_id: user.id, role: 'owner' });
      return { id: user.id, client };
    };
    [first, second] = [await make(), await make()];
    for (const id of (await owners()) ?? []) {
      if (id !== first.id && id !== second.id)
        await call(context.service, 'set_role', { person_id: id, role: 'editor' });
    }
  });

  const REMOVALS = [
    ['demoted', 'set_role', { role: 'editor' }],
    ['deactivated', 'set_active', { active: false }],
  ] as const;

  test.each(REMOVALS)('cannot be %s, by themselves or by the server', async (_what, act, args) => {
    expect(await tryCall(first.client, act, { person_id: second.id, ...args })).toMatchObject({ code: 'ok' });
    for (const client of [first.client, context.service]) {
      expect(await tryCall(client, act, { person_id: first.id, ...args })).toMatchObject({
        code: 'bad_state',
        status: 409,
      });
    }
    expect(await owners()).toEqual([first.id]);
  });

  test.each(REMOVALS)(
    'remains when two owners have each other %s at the same time',
    async (what, act, args) => {
      const outcomes = await Promise.all([
        tryCall(first.client, act, { person_id: second.id, ...args }),
        tryCall(second.client, act, { person_id: first.id, ...args }),
      ]);
      // The second owner's session may end before the permission check.
      const refused = what === 'deactivated' ? /^(forbidden|signed_out)$/ : /^forbidden$/;
      expect(outcomes.map(({ code }) => code).sort()).toEqual(
        expect.arrayContaining(['ok', expect.stringMatching(refused)]),
      );
      expect(await owners()).toHaveLength(1);
    },
  );

  test('remains when both owners give up their role at the same time', async () => {
    const outcomes = await Promise.all(
      [first, second].map(({ client, id }) => tryCall(client, 'set_role', { person_id: id, role: 'reader' })),
    );
    expect(outcomes.map(({ code }) => code).sort()).toEqual(['bad_state', 'ok']);
    expect(await owners()).toHaveLength(1);
  });

  test('does not count an inactive owner', async () => {
    await call(first.client, 'set_active', { person_id: second.id, active: false });
    const outcome = await tryCall(first.client, 'set_role', { person_id: first.id, role: 'reader' });
    expect(outcome).toMatchObject({ code: 'bad_state' });
  });
});

describe('roles', () => {
  test.each(['set_role', 'set_active'])('%s requires its argument and an existing person', async (act) => {
    const args = { role: 'editor', active: true };
    const sent = { [act.slice('set_'.length)]: args[act.slice('set_'.length) as keyof typeof args] };
    const nobody = await tryCall(context.service, act, { person_id: randomUUID(), ...sent });
    expect(nobody).toMatchObject({ code: 'not_found', status: 404 });
    const field = act.slice('set_'.length);
    const nothing = await tryCall(context.service, act, {
      person_id: context.actors.reader.id,
      [field]: null,
    });
    expect(nothing).toMatchObject({ code: 'invalid', status: 422, field });
  });

  test('refuses unknown roles and changes nothing', async () => {
    const { id } = context.actors.reader;
    const outcome = await tryCall(context.service, 'set_role', { person_id: id, role: 'admin' });
    expect(outcome.status).toBe(400);
    expect((await context.service.from('people').select('role').eq('id', id)).data).toEqual([
      { role: 'reader' },
    ]);
  });
});

describe('a slug', () => {
  const rename = async (coverage_id: string, slug: string) => {
    const { data } = await context.service.from('coverages').select('version').eq('id', coverage_id).single();
    const version = data?.version;
    return tryCall(context.actors.editor.client, 'save_coverage', {
      coverage_id,
      version,
      content: { slug },
    });
  };
  const create = (slug: string) =>
    tryCall(context.actors.editor.client, 'create_coverage', {
      coverage_id: randomUUID(),
      content: { slug, headline: 'Another' },
    });
  const resolve = async (slug: string) =>
    (await context.actors.visitor.client.rpc('resolve_slug', { slug })).data;
  const newSlug = () => `slug-${randomUUID()}`;

  test('redirects to the current slug after renames, and to nothing when the coverage is withdrawn', async () => {
    const [first, second, third] = [newSlug(), newSlug(), newSlug()];
    const coverage_id = await createCoverage(context.service, 'live', { slug: first });
    await rename(coverage_id, second);
    await rename(coverage_id, third);
    for (const slug of [first, second, third]) {
      expect(await resolve(slug)).toEqual({ slug: third, status: 'public' });
    }
    await call(context.service, 'set_coverage_state', { coverage_id, state: 'withdrawn' });
    for (const slug of [first, third])
      expect(await resolve(slug)).toEqual({ slug: third, status: 'withdrawn' });
  });

  test('is gone rather than unknown after a scheduled coverage is withdrawn', async () => {
    const slug = newSlug();
    const coverage_id = await createCoverage(context.service, 'scheduled', { slug });
    expect(await resolve(slug)).toEqual({ slug, status: 'public' });
    await call(context.service, 'set_coverage_state', { coverage_id, state: 'withdrawn' });
    expect(await resolve(slug)).toEqual({ slug, status: 'withdrawn' });
  });

  test('is never given to another coverage, even when it is no longer in use', async () => {
    const [old, now] = [newSlug(), newSlug()];
    const coverage_id = await createCoverage(context.service, 'draft', { slug: old });
    await rename(coverage_id, now);
    const other = await createCoverage(context.service);
    const before = await readCoverageRows(context.service, other);
    for (const slug of [old, now]) {
      expect(await create(slug)).toMatchObject({ code: 'invalid', status: 422, field: 'slug' });
      expect(await rename(other, slug)).toMatchObject({ code: 'invalid', status: 422, field: 'slug' });
    }
    expect(await readCoverageRows(context.service, other)).toEqual(before);
    expect(await rename(coverage_id, old)).toMatchObject({ code: 'ok', result: { slug: old } });
  });

  test('goes to one of several concurrent requests', async () => {
    const slug = newSlug();
    const known = [await createCoverage(context.service), await createCoverage(context.service)];
    const outcomes = await Promise.all([
      ...known.map((id) => rename(id, slug)),
      ...Array.from({ length: 4 }, () => create(slug)),
    ]);
    expect(outcomes.filter(({ code }) => code === 'ok')).toHaveLength(1);
    expect(outcomes.filter(({ code, field }) => code === 'invalid' && field === 'slug')).toHaveLength(5);
  });
});

describe('an import', () => {
  const item = (published_at: string, text = 'Then.', more: object = {}) => ({
    id: randomUUID(),
    published_at,
    content: contentOf(text, more),
  });
  const day = (n: number) => `1969-07-${String(n).padStart(2, '0')}T12:00:00Z`;
  const bring = async (coverage_id: string, items: unknown[]) =>
    context.service.rpc('import_updates', { coverage_id, items });

  test('numbers items by time, keeps their times, and changes nothing when repeated', async () => {
    const coverage_id = await createCoverage(context.service);
    const items = [item(day(1)), item(day(2), 'Landed.', { key_event: true }), item(day(2))];
    expect((await bring(coverage_id, items)).data).toEqual({ added: 3, unchanged: 0, refused: [] });
    const before = await readCoverageRows(context.service, coverage_id);
    const byNumber = before.updates.toSorted((a, b) => a.number - b.number);
    expect(byNumber).toMatchObject(
      items.map(({ id, content }, n) => ({
        id,
        number: n + 1,
        seq: n + 2,
        key_event: 'key_event' in content,
      })),
    );
    expect(byNumber.map(({ published_at }) => Date.parse(published_at))).toEqual(
      items.map(({ published_at }) => Date.parse(published_at)),
    );
    expect((await bring(coverage_id, items)).data).toEqual({ added: 0, unchanged: 3, refused: [] });
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
  });

  test('adds newer items later, also to an ended coverage, and lists older ones as refused', async () => {
    const coverage_id = await createCoverage(context.service, 'ended');
    const first = [item(day(3))];
    await bring(coverage_id, first);
    const older = item(day(1));
    const result = (await bring(coverage_id, [older, ...first, item(day(4))])).data;
    expect(result).toEqual({ added: 1, unchanged: 1, refused: [older.id] });
    expect((await readCoverageRows(context.service, coverage_id)).coverage).toMatchObject([
      { update_count: 2 },
    ]);
  });

  test.each([
    ['words that are unfit', () => ({ ...item(day(2)), content: contentOf(' ') }), 'body'],
    ['no time', () => ({ ...item(day(2)), published_at: null }), 'published_at'],
    ['a time without a zone', () => item('1969-07-02T12:00:00'), 'published_at'],
    ['a time to come', () => item('2999-01-01T00:00:00Z'), 'published_at'],
    ['no id', () => ({ ...item(day(2)), id: 'x' }), 'id'],
    ['no content', () => ({ ...item(day(2)), content: null }), 'content'],
  ])('refuses an item with %s, and check_import names its field', async (_what, make, field) => {
    const coverage_id = await createCoverage(context.service);
    const before = await readCoverageRows(context.service, coverage_id);
    const bad = make();
    const { error } = await bring(coverage_id, [item(day(1)), bad]);
    expect(error).toMatchObject({ code: 'PT422', message: 'invalid' });
    expect(JSON.parse(error?.details ?? '')).toMatchObject({ field });
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
    const { data } = await context.service.rpc('check_import', { items: [item(day(1)), bad] });
    expect(data).toEqual([{ id: bad.id, ...JSON.parse(error?.details ?? '') }]);
  });

  test.each(['draft', 'archived', 'withdrawn'])('refuses a coverage that is %s', async (state) => {
    const coverage_id = await createCoverage(context.service, state);
    const before = await readCoverageRows(context.service, coverage_id);
    expect((await bring(coverage_id, [item(day(1))])).error).toMatchObject({ message: 'bad_state' });
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
  });

  test('sets start and end of a coverage once', async () => {
    const coverage_id = await createCoverage(context.service, 'draft', { starts_at: null });
    const enter = (state: string, at: string) =>
      context.service.rpc('import_state', { coverage_id, state, at });
    await enter('live', day(1));
    await enter('ended', day(9));
    const before = await readCoverageRows(context.service, coverage_id);
    const [coverage] = before.coverage;
    expect(Date.parse(coverage.published_at)).toBe(Date.parse(day(1)));
    expect(Date.parse(coverage.ended_at)).toBe(Date.parse(day(9)));
    expect((await enter('ended', day(10))).error).toBeNull();
    expect((await enter('paused', day(10))).error).toMatchObject({ message: 'bad_state' });
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
  });
});
