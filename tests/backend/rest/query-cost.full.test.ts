import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Audience,
  FUNCTION_COSTS,
  parseAccessList,
  readAccessList,
} from '../../../packages/embedded-supabase/src/rest/access-list.ts';
import { QUERY_LIMITS } from '../../../packages/embedded-supabase/src/rest/query-limits.ts';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { ENGINE, MIGRATIONS, newDataFolder, removeData } from '../../support/data-folders.ts';
import { type RandomRequest, RequestWriter, type Vocabulary } from '../../support/random-requests.ts';
import { createSeededCoverage, seedLargeNewsroom } from '../../support/rows/seed.ts';
import {
  type MeasuredDatabase,
  openMeasuredDatabase,
  openUnmeasuredDatabase,
  type StatementCost,
  totalCost,
} from '../../support/rows/statements.ts';

/*
 * Requests that the access list allows stay below a cost limit on a large newsroom. Random requests of the whole
 * grammar are sent to the REST interface in this process. PGlite counts rows and pages; PostgreSQL ends a statement at
 * the time limit of its role. QUERY_COST_SEED and QUERY_COST_REQUESTS select other or more requests.
 */

const SEED = Number(process.env.QUERY_COST_SEED ?? 20261123);
const REQUESTS = Number(process.env.QUERY_COST_REQUESTS ?? 300);

/** Reads, checks and sorts all updates. No query may cost more than a multiple of it. */
const REFERENCE = 'updates?select=id&order=seq';

/** Multiples of the reference. */
const MOST = { rows: 4, cpu: 8 };
/** Pages per row of the reference: an index lookup takes three or four pages. */
const PAGES_PER_ROW = 4;

type Cost = StatementCost & { cpu: number; ms: number };
type Answer = Cost & { status: number; bytes: number; text: string };

let data: string;
let explaining: MeasuredDatabase;
let words: Vocabulary;
const CALLERS = {
  visitor: 'visitor',
  reader: 'signed_in',
  contributor: 'signed_in',
  reporter: 'signed_in',
  editor: 'signed_in',
} as const;
type Caller = keyof typeof CALLERS;

/** Longest time of an answer on PostgreSQL: the `statement_timeout` of the caller's role in ms, as on hosted Supabase. */
const LONGEST_MS = { visitor: 3_000, signed_in: 8_000 };

const claims = {} as Record<Caller, Claims>;

beforeAll(async () => {
  data = await newDataFolder();
  explaining = await (ENGINE === 'pglite' ? openMeasuredDatabase(data) : openUnmeasuredDatabase(data));
  const { engine } = explaining;
  const newsroom = await seedLargeNewsroom(engine);
  claims.visitor = { role: 'anon' };
  for (const role of ['reader', 'contributor', 'reporter'] as const) {
    const { person } = await engine.transaction((session) => createSeededCoverage(session, role));
    await engine.exec(`update public.people set role = '${role}' where id = '${person.sub}'`);
    claims[role] = person;
  }
  await engine.exec(`insert into public.coverage_members (coverage_id, person_id, expires_at)
    values ('${newsroom.long.id}', '${claims.contributor.sub}', now() + interval '1 day')`);
  claims.editor = newsroom.long.person;

  const rows = async <Row>(query: string) =>
    (await engine.transaction((session) => session.query<Row>(query))).rows;
  const columns = await rows<{ relation: string; columns: Record<string, string> }>(`
    select c.relname as relation, json_object_agg(a.attname, format_type(a.atttypid, null)) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') group by 1 order by 1`);
  const functions = await rows<{ name: string; args: { name: string; type: string }[] }>(`
    select p.proname as name, coalesce((select json_agg(json_build_object('name', p.proargnames[n], 'type', format_type(t, null)) order by n)
      from unnest(p.proargtypes) with ordinality u(t, n)), '[]') as args
    from pg_proc p where p.pronamespace = 'public'::regnamespace order by 1`);
  const ids = await rows<{ id: string }>(`
    (select id from public.updates where coverage_id = '${newsroom.wordy.id}' order by number limit 20)
    union all (select id from public.updates where coverage_id = '${newsroom.long.id}' order by number desc limit 20)
    union all (select id from public.photos order by id limit 5)`);
  const list = await readAccessList(MIGRATIONS);
  // The site export reads everything, and counts as many requests.
  const exported = [...(list?.functions ?? [])].filter(([, { cost }]) => cost === FUNCTION_COSTS.export);
  for (const [name] of exported) list?.functions.delete(name);
  const exports = new Set(exported.map(([name]) => name));
  words = {
    list: list ?? parseAccessList(''),
    columns: Object.fromEntries(columns.map(({ relation, columns }) => [relation, Object.keys(columns)])),
    types: Object.assign({}, ...columns.map(({ columns }) => columns)),
    functions: Object.fromEntries(
      functions.filter(({ name }) => !exports.has(name)).map(({ name, args }) => [name, args]),
    ),
    // The long coverage and its author appear twice as often.
    ids: [
      ...[newsroom.long, newsroom.long, newsroom.wordy, newsroom.short[0]].flatMap((one) =>
        one ? [one.id, one.person.sub] : [],
      ),
      ...ids.map(({ id }) => id),
      '00000000-0000-0000-0000-000000000000',
    ],
    texts: [
      'river',
      newsroom.long.slug,
      newsroom.long.handle,
      'published',
      'withdrawn',
      'live',
      'correction',
      'urgent',
      '(a+)+$',
    ],
  };
}, 120_000);
afterAll(async () => {
  await explaining?.engine.close();
  if (data) await removeData(data);
});

async function send(caller: Caller, { method, path, headers, body }: RandomRequest): Promise<Answer> {
  const request = new Request(`http://inside/rest/v1/${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body,
  });
  const begunAt = performance.now();
  const begun = process.cpuUsage();
  let answered: Response | undefined;
  const touched = totalCost(
    await explaining.statementsOf(async () => {
      answered = await explaining.restApi.handle(request, claims[caller], CALLERS[caller]);
    }),
  );
  const { user, system } = process.cpuUsage(begun);
  const text = (await answered?.text()) ?? '';
  return {
    ...touched,
    cpu: user + system,
    ms: performance.now() - begunAt,
    status: answered?.status ?? 0,
    bytes: Buffer.byteLength(text),
    text,
  };
}

describe.each(Object.keys(CALLERS) as Caller[])('as a %s', (caller) => {
  it('costs no more than the limit for every answered request', async () => {
    const reference: RandomRequest = { method: 'GET', path: REFERENCE, headers: {} };
    await send(caller, reference);
    const allowed = await send(caller, reference);
    expect(allowed.status).toBe(200);

    // Half of the requests follow the access list, the others do not.
    const audiences: Audience[] = caller === 'visitor' ? ['everyone'] : ['everyone', 'signed_in'];
    const tame = new RequestWriter(SEED, words, audiences, 0.01);
    const wild = new RequestWriter(SEED + 1, words, audiences, 0.2);
    const statuses = new Map<number, number>();
    const dear: string[] = [];
    for (let n = 0; n < REQUESTS; n++) {
      const request = (n % 2 === 0 ? tame : wild).request();
      const answer = await send(caller, request);
      const { status, rows, buffers, cpu, ms, bytes, text } = answer;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const isSlow = (one: Answer) =>
        one.cpu > MOST.cpu * allowed.cpu || (ENGINE === 'postgres' && one.ms > LONGEST_MS[CALLERS[caller]]);
      const isDear =
        (ENGINE === 'pglite' && rows > MOST.rows * allowed.rows) ||
        (ENGINE === 'pglite' && buffers > PAGES_PER_ROW * allowed.rows) ||
        // The process also collects garbage and serves other files, so that only a request that is slow twice counts.
        (isSlow(answer) && isSlow(await send(caller, request))) ||
        bytes > QUERY_LIMITS[CALLERS[caller]].responseBytes ||
        status >= 500;
      if (isDear) {
        const cost = `${rows} rows, ${buffers} pages, ${Math.round(cpu / 1_000)} of ${Math.round(ms)} ms, ${bytes} bytes`;
        dear.push(
          `seed ${SEED}, request ${n}: ${JSON.stringify(request)}\n  ${status}: ${cost}\n  ${text.slice(0, 200)}`,
        );
      }
    }
    const summary = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
    expect(
      dear.join('\n'),
      `reference: ${JSON.stringify(allowed).slice(0, 120)}; ${summary.join(', ')}`,
    ).toBe('');
    // Enough requests must be answered, and enough refused.
    expect(statuses.get(200) ?? 0, summary.join(', ')).toBeGreaterThan(REQUESTS / 5);
    expect(statuses.get(422) ?? 0, summary.join(', ')).toBeGreaterThan(REQUESTS / 5);
  }, 120_000);
});
