import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Actor, type ActorName, openTestContext, type TestContext } from '../../support/actors.ts';
import { startBackend } from '../../support/backend.ts';
import { apiTables, openCatalog, relationsOf } from '../../support/database.ts';
import { hideSecrets, PUBLISHED, type Scene, SECRETS } from './secrets.ts';

/** Actors that must not see the desks of these coverages. */
const OUTSIDE = ['visitor', 'reader', 'outsider', 'expired'] as const satisfies ActorName[];

let context: TestContext;
let tables: ReturnType<typeof apiTables>;
let scene: Scene;

beforeAll(async () => {
  const catalog = await openCatalog();
  tables = apiTables(await relationsOf(catalog));
  await catalog.close();
  // A hosted project has no access list, so the database alone must protect these rows.
  context = await openTestContext(await startBackend({ accessList: false }));
  scene = await hideSecrets(context);
});
afterAll(() => context.stop());

/** Sends any query to the REST interface, which the client would not allow. */
async function ask({ client }: Actor, path: string, init: RequestInit = {}) {
  const { data } = await client.auth.getSession();
  const answer = await fetch(`${context.backend.url}/rest/v1/${path}`, {
    ...init,
    headers: {
      ...context.backend.headers,
      apikey: context.backend.publishableKey,
      ...(data.session && { authorization: `Bearer ${data.session.access_token}` }),
      'content-type': 'application/json',
      ...init.headers,
    },
  });
  return { status: answer.status, text: await answer.text(), range: answer.headers.get('content-range') };
}

function expectNoSecret(text: string, asked: string) {
  for (const [what, secret] of Object.entries(SECRETS))
    expect(text, `${what} by ${asked}`).not.toContain(secret);
  // E-mail addresses of all actors are secret too.
  expect(text, `an address by ${asked}`).not.toContain('@example.com');
}

describe.each(OUTSIDE)('%s', (who) => {
  const me = () => context.actors[who];

  test('has secrets to find: a staff member sees them with the same requests', async () => {
    let seen = '';
    for (const table of ['desk_updates', 'desk_revisions', 'coverage_revisions', 'desk_photos']) {
      seen += (await ask(context.actors.editor, `${table}?select=*`)).text;
    }
    const queue = { method: 'POST', body: '{"filters":{}}' };
    seen += (await ask(context.actors.editor, 'rpc/tip_queue', queue)).text;
    const { redacted, device, ...kept } = SECRETS;
    for (const secret of Object.values(kept)) expect(seen).toContain(secret);
    // No role sees these.
    for (const hidden of [redacted, device]) expect(seen).not.toContain(hidden);
    expect((await ask(me(), 'updates?select=headline,body')).text).toContain(PUBLISHED);
  });

  test('sees no secret in any column of any table or view, nor by embedding', async () => {
    const readable = new Map<string, string[]>();
    for (const [table, columns] of tables) {
      expectNoSecret((await ask(me(), table)).text, table);
      const open = await Promise.all(
        columns.map(async (column) => {
          const asked = `${table}?select=${column}`;
          const { status, text } = await ask(me(), asked);
          expectNoSecret(text, asked);
          return status === 200 ? [column] : [];
        }),
      );
      if (open.flat().length > 0) readable.set(table, open.flat());
    }
    const embedded: string[] = [];
    const embed = async (table: string, other: string, columns: string[]) => {
      const asked = `${table}?select=${other}(${columns})`;
      const answer = await ask(me(), asked);
      expectNoSecret(answer.text, asked);
      if (answer.status === 200) embedded.push(`${table} ${other}`);
      // Status 300 means that there are several relationships. The response names them.
      if (answer.status !== 300) return;
      for (const [, way] of answer.text.matchAll(/'(\w+!\w+)'/g)) await embed(table, String(way), columns);
    };
    // Embeds each pair of tables by every relationship.
    for (const table of readable.keys()) {
      await Promise.all([...readable].map(([other, columns]) => embed(table, other, columns)));
    }
    expect(embedded).toContain('coverages updates!updates_coverage_id_fkey');
    expect(embedded).toContain('updates update_bylines');
  });

  test.each([
    'updates?select=id&desk_note=not.is.null',
    'updates?select=id&or=(desk_note.eq.secret-desk-note,number.eq.1)',
    'updates?select=id&order=desk_note',
    'updates?select=id&author=not.is.null',
    'updates?select=id,note:desk_note',
    'updates?select=desk_note::text',
    'updates?select=max:desk_note.max()',
    'updates?select=people!updates_author_fkey(handle)',
    'coverages?select=id&created_by=not.is.null',
    'coverages?select=id&order=created_at',
    'coverages?select=id,updates!updates_coverage_id_fkey(id)&updates.desk_note=not.is.null',
    'coverages?select=id,updates!updates_coverage_id_fkey(id)&updates.order=desk_note',
    'coverages?select=id,people!coverages_created_by_fkey(role)',
    'people?select=handle&role=eq.editor',
    'people?select=handle&active=is.false',
    'people?select=handle&order=role',
    'update_bylines?select=people(role)',
    'update_bylines?select=people!inner(handle)&people.role=eq.owner',
    'update_revisions?select=version',
    'private.idempotency_keys?select=*',
    'ops?select=*',
    'permissions?select=*',
  ])('is refused %s', async (asked) => {
    const answer = await ask(me(), asked);
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.status, answer.text).toBeLessThan(500);
    expectNoSecret(answer.text, asked);
  });

  test('cannot reach schemas other than public', async () => {
    for (const schema of ['private', 'auth', 'realtime', 'supabase_migrations', 'pg_catalog', 'extensions']) {
      for (const path of [
        'ops',
        'users',
        'messages',
        'schema_migrations',
        'pg_class',
        'rpc/may',
        'rpc/publish',
        'rpc/send',
      ]) {
        const headers = { 'accept-profile': schema, 'content-profile': schema };
        const answer = await ask(
          me(),
          path,
          path.startsWith('rpc') ? { method: 'POST', body: '{}', headers } : { headers },
        );
        expect(answer.status, `${schema}.${path}`).toBeGreaterThanOrEqual(400);
        expectNoSecret(answer.text, path);
      }
    }
  });

  test('counts visible rows only', async () => {
    const counted = async (asked: string) => {
      const { range } = await ask(me(), asked, { headers: { prefer: 'count=exact' } });
      return Number(range?.split('/')[1] ?? 0);
    };
    expect(await counted(`coverages?select=id&id=in.(${scene.drafts},${scene.gone})`)).toBe(0);
    expect(await counted(`updates?select=id&coverage_id=in.(${scene.drafts},${scene.gone})`)).toBe(0);
    expect(await counted(`updates?select=id&id=eq.${scene.draft}`)).toBe(0);
    expect(await counted(`updates?select=id&coverage_id=eq.${scene.live}`)).toBe(3);
    expect(await counted(`coverage_changes?select=seq&coverage_id=in.(${scene.drafts},${scene.gone})`)).toBe(
      0,
    );
    expect(await counted('desk_updates?select=id')).toBe(0);
    expect(await counted('desk_revisions?select=version')).toBe(0);
  });

  test('cannot detect hidden rows with filters', async () => {
    for (const asked of [
      `updates?select=id&id=eq.${scene.draft}`,
      `updates?select=id&headline=eq.${SECRETS.draft}`,
      `updates?select=id&headline=eq.${SECRETS.withdrawn}`,
      `updates?select=id&attribution=eq.${SECRETS.submitted}`,
      `updates?select=id&state=in.(draft,submitted,scheduled,spiked)`,
      'updates?select=id&number=is.null',
      `coverages?select=id&slug=eq.${SECRETS.draftCoverage}`,
      `coverages?select=id&state=in.(draft,withdrawn)`,
      `coverage_slugs?select=slug&slug=eq.${SECRETS.draftCoverage}`,
      `coverage_slugs?select=slug&coverage_id=in.(${scene.drafts},${scene.gone})`,
      `coverage_changes?select=seq&update_id=eq.${scene.draft}`,
      `update_notes?select=version&update_id=eq.${scene.withdrawn}`,
      `update_history?select=version&update_id=in.(${scene.draft},${scene.withdrawn})`,
      `update_history?select=version&coverage_id=in.(${scene.drafts},${scene.gone})`,
      `update_notes?select=version&coverage_id=eq.${scene.gone}`,
      `update_bylines?select=person_id&update_id=in.(${scene.draft},${scene.withdrawn})`,
      `people?select=handle&id=eq.${context.actors.owner.id}`,
    ]) {
      expect(await ask(me(), asked), asked).toMatchObject({ status: 200, text: '[]' });
    }
  });

  test('sees number, time and reason of a withdrawn update', async () => {
    const { data } = await me()
      .client.from('updates')
      .select('number,state,headline,body,dateline,withdrawn_reason')
      .eq('id', scene.withdrawn);
    expect(data).toEqual([
      {
        number: 3,
        state: 'withdrawn',
        headline: null,
        body: [],
        dateline: null,
        withdrawn_reason: PUBLISHED,
      },
    ]);
  });

  test('sees correction notes, and versions since the publication', async () => {
    const { data } = await me().client.from('update_notes').select('*').eq('update_id', scene.corrected);
    expect(data).toMatchObject([{ version: 3, kind: 'correction', note: PUBLISHED }]);
    const history = await me()
      .client.from('update_history')
      .select('*')
      .eq('update_id', scene.corrected)
      .order('version');
    expect(history.data).toMatchObject([
      {
        update_id: scene.corrected,
        version: 2,
        redacted_reason: PUBLISHED,
        headline: null,
        body: null,
        bylines: [],
      },
      { update_id: scene.corrected, version: 3, kind: 'correction', note: PUBLISHED, bylines: ['Reader'] },
    ]);
  });

  test('sees corrections and withdrawals, and nothing more of a withdrawn coverage', async () => {
    const { data } = await me().client.rpc('list_corrections');
    const nothing = { note: null, number: null, headline: null, slug: null, coverage_headline: null };
    const there = {
      slug: `case-${scene.live}`,
      coverage_headline: PUBLISHED,
      headline: null,
      note: PUBLISHED,
    };
    expect(data[0]).toMatchObject({ kind: 'withdrawal', ...nothing, language: null, time_zone: null });
    expect(data[1]).toMatchObject({ kind: 'withdrawal', ...there });
    expect(data.at(-1)).toMatchObject({ kind: 'correction', ...there, number: 1 });
    const before = await me().client.rpc('list_corrections', {
      before_position: data[1].list_position,
      max_rows: 1,
    });
    expect(before.data).toEqual([data[2]]);
    expect(
      (await me().client.rpc('list_corrections', { before_position: data.at(-1).list_position })).data,
    ).toEqual([]);
  });

  test('learns that a slug is gone, but not that it is a draft', async () => {
    const resolve = async (slug: string) => (await me().client.rpc('resolve_slug', { slug })).data;
    expect(await resolve(SECRETS.draftCoverage)).toBeNull();
    expect(await resolve(`case-${scene.drafts}`)).toBeNull();
    expect(await resolve('never-was')).toBeNull();
    expect(await resolve(`case-${scene.gone}`)).toEqual({
      slug: `case-${scene.gone}`,
      status: 'withdrawn',
    });
  });
});
