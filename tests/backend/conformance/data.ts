import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { call, paragraph } from '../../support/newsroom.ts';
import type { Project } from './project.ts';

/** PostgREST: reading with the filters that the product uses, embedding, functions and errors. */
export function data(project: () => Project): void {
  describe('data', () => {
    /** Three drafts, a minute apart. The second one has a headline. */
    const ids = { a: randomUUID(), b: randomUUID(), c: randomUUID() };
    let server: SupabaseClient;
    let editor: SupabaseClient;

    beforeAll(async () => {
      server = project().server;
      editor = project().editor.client;
      for (const [name, update_id] of Object.entries(ids)) {
        await call(editor, 'save_update', {
          coverage_id: project().draft.id,
          update_id,
          content: {
            body: [paragraph(`Draft ${name}, 100%`)],
            headline: name === 'b' ? 'A headline (b, second)' : null,
            urgency: name === 'c' ? 'important' : 'normal',
            occurred_at: `2026-01-01T00:0${Object.keys(ids).indexOf(name)}:00Z`,
          },
        });
      }
    });

    const updates = (columns = 'id') =>
      server.from('updates').select(columns).eq('coverage_id', project().draft.id).order('occurred_at');
    type Query = ReturnType<typeof updates>;

    test.each<[string, (query: Query) => Query, string]>([
      ['eq', (query) => query.eq('urgency', 'important'), 'c'],
      ['neq', (query) => query.neq('urgency', 'important'), 'ab'],
      ['gt', (query) => query.gt('occurred_at', '2026-01-01T00:01:00Z'), 'c'],
      ['gte', (query) => query.gte('occurred_at', '2026-01-01T00:01:00+00:00'), 'bc'],
      ['lt', (query) => query.lt('occurred_at', '2026-01-01T01:01:00+01:00'), 'a'],
      ['lte', (query) => query.lte('occurred_at', '2026-01-01T00:01:00Z'), 'ab'],
      ['is null', (query) => query.is('headline', null), 'ac'],
      ['is false', (query) => query.is('key_event', false), 'abc'],
      ['in', (query) => query.in('id', [ids.a, ids.c]), 'ac'],
      ['in, with marks of its own', (query) => query.in('headline', ['A headline (b, second)', 'x']), 'b'],
      ['like', (query) => query.like('headline', 'A head%'), 'b'],
      ['ilike', (query) => query.ilike('headline', '%HEADLINE%'), 'b'],
      ['not', (query) => query.not('headline', 'is', null), 'b'],
      ['or', (query) => query.or('headline.not.is.null,urgency.eq.important'), 'bc'],
      ['or of and', (query) => query.or(`id.eq.${ids.a},and(urgency.eq.normal,headline.is.null)`), 'a'],
      ['contains', (query) => query.contains('body', '[{"type":"paragraph"}]'), 'abc'],
      ['match', (query) => query.match({ urgency: 'normal', id: ids.b }), 'b'],
      ['filter', (query) => query.filter('urgency', 'in', '("important","urgent")'), 'c'],
      ['limit', (query) => query.limit(2), 'ab'],
      ['range', (query) => query.range(1, 2), 'bc'],
    ])('filters by %s', async (_name, narrowed, expected) => {
      const { data, error } = await narrowed(updates());
      expect(error).toBeNull();
      const returnedIds = (data as unknown as { id: string }[]).map(({ id }) => id);
      expect(returnedIds).toEqual([...expected].map((name) => ids[name as keyof typeof ids]));
    });

    test('orders rows, places nulls as requested, and renames columns', async () => {
      const query = server
        .from('updates')
        .select('name:headline, first:body->0->>type')
        .eq('coverage_id', project().draft.id);
      const { data } = await query.order('headline', { ascending: false, nullsFirst: false }).limit(2);
      expect(data).toEqual([
        { name: 'A headline (b, second)', first: 'paragraph' },
        { name: null, first: 'paragraph' },
      ]);
    });

    test('returns one row or null, and an error for another number of rows', async () => {
      const one = (id: string) => server.from('updates').select('id').eq('id', id);
      expect((await one(ids.a).single()).data).toEqual({ id: ids.a });
      expect(await one(randomUUID()).maybeSingle()).toMatchObject({ data: null, error: null });
      expect(await one(randomUUID()).single()).toMatchObject({ status: 406, error: { code: 'PGRST116' } });
      expect(await updates().single()).toMatchObject({ status: 406, error: { code: 'PGRST116' } });
    });

    test('counts rows, with or without returning them', async () => {
      const all = () => server.from('updates');
      const where = project().draft.id;
      const some = await all().select('id', { count: 'exact' }).eq('coverage_id', where).limit(1);
      expect([some.count, some.data?.length]).toEqual([3, 1]);
      const alone = await all().select('id', { count: 'exact', head: true }).eq('coverage_id', where);
      expect([alone.count, alone.data]).toEqual([3, null]);
    });

    test('embeds related rows in both directions, filtered and ordered', async () => {
      const { id: author } = project().editor;
      const { data: up, error } = await updates(
        `id, of:coverages!updates_coverage_id_fkey(slug), update_bylines(position, people(id))`,
      ).limit(1);
      expect(error).toBeNull();
      expect(up).toEqual([
        {
          id: ids.a,
          of: { slug: project().draft.slug },
          update_bylines: [{ position: 1, people: { id: author } }],
        },
      ]);
      const down = await server
        .from('coverages')
        .select('slug, updates!updates_coverage_id_fkey!inner(id)')
        .eq('id', project().draft.id)
        .eq('updates.urgency', 'normal')
        .order('occurred_at', { referencedTable: 'updates', ascending: false })
        .limit(1, { referencedTable: 'updates' });
      expect(down.data).toEqual([{ slug: project().draft.slug, updates: [{ id: ids.b }] }]);
      expect((await server.from('updates').select('id, nothing(id)')).error?.code).toBe('PGRST200');
    });

    test('calls functions by name, by GET if they only read, and returns their errors', async () => {
      expect((await editor.rpc('get_me')).data).toMatchObject({ id: project().editor.id, role: 'editor' });
      expect((await editor.rpc('get_me', {}, { get: true })).data).toMatchObject({ id: project().editor.id });
      const slug = { slug: project().draft.slug };
      expect(await project().anon().rpc('resolve_slug', slug, { get: true })).toMatchObject({
        data: null,
        error: null,
      });
      const refused = await editor.rpc('save_update', {
        idempotency_key: randomUUID(),
        coverage_id: project().draft.id,
        update_id: randomUUID(),
        content: { headline: 4 },
      });
      expect(refused).toMatchObject({
        status: 422,
        error: {
          code: 'PT422',
          message: 'invalid',
          details: '{"field": "headline", "reason": "not_text"}',
          hint: null,
        },
      });
      expect(await editor.rpc('nothing')).toMatchObject({ status: 404, error: { code: 'PGRST202' } });
      const { data: roster } = await editor
        .rpc('desk_roster', { coverage_id: project().draft.id })
        .eq('id', project().editor.id)
        .select('role');
      expect(roster).toEqual([{ role: 'editor' }]);
    });

    test('refuses what does not exist or is not part of the API', async () => {
      expect(await server.from('nothing').select()).toMatchObject({
        status: 404,
        error: { code: 'PGRST205' },
      });
      expect((await server.from('updates').select('nothing')).error?.code).toBe('42703');
      expect(await server.schema('private').from('idempotency_keys').select()).toMatchObject({
        status: 406,
        error: { code: 'PGRST106' },
      });
    });

    test('hides drafts from callers without access', async () => {
      for (const client of [project().anon(), project().reader.client]) {
        expect((await client.from('updates').select('id').in('id', Object.values(ids))).data).toEqual([]);
        expect((await client.from('coverages').select('id').eq('id', project().draft.id)).data).toEqual([]);
        expect((await client.from('updates').select('desk_note')).error?.code).toBe('42501');
      }
      const desk = await project()
        .reporter.client.from('desk_updates')
        .select('id')
        .in('id', Object.values(ids));
      expect(desk.data).toHaveLength(3);
    });

    test('refuses direct writes', async () => {
      const row = async () => (await server.from('updates').select('*').eq('id', ids.a).single()).data;
      const before = await row();
      const writes = (client: SupabaseClient) => [
        client.from('updates').insert({ id: randomUUID(), coverage_id: project().draft.id }),
        client.from('updates').upsert({ id: ids.a, coverage_id: project().draft.id, headline: 'Mine' }),
        client.from('updates').update({ headline: 'Mine' }).eq('id', ids.a),
        client.from('updates').delete().eq('id', ids.a),
      ];
      for (const [client, status] of [
        [project().anon(), 401],
        [editor, 403],
        [server, 403],
      ] as const) {
        for (const answer of await Promise.all(writes(client))) {
          expect(answer).toMatchObject({ status, error: { code: '42501' } });
        }
      }
      expect(await row()).toEqual(before);
    });
  });
}
