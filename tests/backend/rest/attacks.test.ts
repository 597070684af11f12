import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUERY_LIMITS } from '../../../packages/embedded-supabase/src/rest/query-limits.ts';
import { serviceClient, signUp, startBackend, type TestBackend } from '../../support/backend.ts';
import { removeData } from '../../support/data-folders.ts';
import { call } from '../../support/newsroom.ts';
import { type LargeNewsroom, newLargeDataFolder } from '../../support/rows/seed.ts';

/*
 * Requests that once stopped the backend or filled its memory, and similar ones, on a large newsroom. They must be
 * refused at once while /health answers.
 */

const CALLERS = ['visitor', 'reader', 'contributor', 'reporter'] as const;
type Caller = (typeof CALLERS)[number];

let newsroom: LargeNewsroom & { data: string };
let backend: TestBackend;
const tokens: Partial<Record<Caller, string>> = {};

beforeAll(async () => {
  newsroom = await newLargeDataFolder();
  backend = await startBackend({ data: newsroom.data });
  const service = serviceClient(backend);
  for (const role of CALLERS.slice(1)) {
    const { client, user } = await signUp(backend);
    if (role !== 'reader') await call(service, 'set_role', { person_id: user.id, role });
    tokens[role] = (await client.auth.getSession()).data.session?.access_token;
  }
}, 120_000);
afterAll(async () => {
  await backend?.stop();
  if (newsroom) await removeData(newsroom.data);
});

let clients = 0;
type Request = { caller?: Caller; method?: string; headers?: Record<string, string>; body?: unknown };

/** Sends a request as the website does for a client address. */
async function ask(path: string, { caller = 'visitor', method, headers, body }: Request = {}) {
  const begun = performance.now();
  const response = await fetch(`${backend.url}/rest/v1/${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...backend.headers,
      apikey: backend.publishableKey,
      'x-forwarded-for': `203.0.${Math.floor(++clients / 250)}.${clients % 250}`,
      ...(tokens[caller] && { authorization: `Bearer ${tokens[caller]}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, ms: performance.now() - begun };
}

const many = (count: number, write: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => write(n)).join(',');

const BACKTRACKING = '^(.%2B)(.%2B)(.%2B)(.%2B)(.%2B)(.%2B)\\1\\2\\3\\4\\5\\6$';

/** By the name in the details of the refusal. */
const ATTACKS: [refused: string, path: string][] = [
  ['standfirst', `coverages?select=id&standfirst=not.match.${BACKTRACKING}`],
  ['standfirst', `coverages?select=id&standfirst=not.imatch.${BACKTRACKING}`],
  ['headline', `coverages?select=id&headline=not.match(any).{${BACKTRACKING},a}`],
  ['headline', `coverages?select=id&headline=match(all).{${BACKTRACKING}}`],
  ['headline', `coverages?select=id&or=(headline.not.match.${BACKTRACKING},slug.eq.a)`],
  ['headline', `coverages?select=id&not.or=(and(slug.eq.a,headline.not.imatch.a),slug.eq.b)`],
  ['headline', `coverages?select=id&and=(not.and(headline.match.a,slug.eq.b),slug.eq.c)`],
  ['slug', `coverages?select=id&slug=match.${BACKTRACKING}`],
  ['slug', 'coverages?select=id&slug=like.*a*b*c*d*'],
  ['slug', 'coverages?select=id&slug=not.ilike.*a*b*c*d*'],
  ['slug', 'coverages?select=id&slug=like(any).{*a*,*b*}'],
  ['slug', 'coverages?select=id&slug=eq(any).{a,b}'],
  ['slug', 'coverages?select=id&slug=gt.a'],
  ['body', 'updates?select=id&body=wfts.zzz'],
  ['body', `updates?select=id&or=(${many(40, (n) => `body.wfts.z${n}`)})`],
  ['body', `updates?select=id&or=(${many(15, (n) => `body.not.plfts(english).z${n}`)})`],
  ['body', 'updates?select=id&body=cs.[{"type":"photo"}]'],
  ['body', 'updates?select=id&not.and=(body.cd.{},id.eq.1)'],
  ['body->0->>text', 'updates?select=id&body->0->>text=eq.a'],
  ['headline', 'updates?select=id&headline=eq.a'],
  ['filter', `updates?select=id&or=(${many(60, (n) => `number.eq.${n}`)})`],
  [
    'filter',
    `updates?select=id&or=(and(${many(18, (n) => `number.gt.${n}`)}),not.and(${many(18, (n) => `number.lt.${n}`)}),or(${many(18, (n) => `seq.lt.${n}`)}))`,
  ],
  ['body', `updates?select=${many(120, (n) => `a${n}:body`)}`],
  ['body', 'updates?select=body,again:body'],
  ['a', 'updates?select=a:body::text'],
  ['a', 'updates?select=a:body->0'],
  ['a', 'updates?select=a:number.sum()'],
  ['count', 'updates?select=count()'],
  ['spread', 'updates?select=id,...coverages!updates_coverage_id_fkey(slug)'],
  [
    'updates',
    'updates?select=id,coverages!updates_coverage_id_fkey(id,updates!updates_coverage_id_fkey(id,body))',
  ],
  [
    'coverages',
    'updates?select=id,a:coverages!updates_coverage_id_fkey(id),b:coverages!updates_coverage_id_fkey(id)',
  ],
  ['body', 'coverages?select=id,updates!updates_coverage_id_fkey(number)&updates.body=not.wfts.a'],
  [
    'headline',
    'coverages?select=id,e:updates!updates_coverage_id_fkey(number)&e.or=(headline.not.match.a,number.eq.1)',
  ],
  ['alt', 'updates?select=id,update_photos(photos(id))&update_photos.photos.alt=match.a'],
  ['body', 'coverages?select=id,updates!updates_coverage_id_fkey(number)&updates.order=body'],
  ['headline', 'coverages?select=id&order=headline'],
  ['body->0', 'updates?select=id&order=body->0'],
  ['embed', 'updates?select=id,coverages!updates_coverage_id_fkey(id)&order=coverages(slug)'],
  ['update_bylines!inner', 'updates?select=id,update_bylines!inner(people(id))&order=seq'],
  ['offset', 'updates?select=id&offset=2000000000'],
  ['update_history', 'update_history?select=body'],
  [
    'update_history',
    'update_history?select=body&or=(update_id.eq.00000000-0000-0000-0000-000000000000,version.gt.0)',
  ],
  ['update_bylines', 'update_bylines?select=person_id&update_id=not.eq.00000000-0000-0000-0000-000000000000'],
  ['where', 'rpc/list_corrections?note=match.a'],
  ['select', 'rpc/list_corrections?select=a:note,b:note'],
  ['order', 'rpc/list_corrections?order=note'],
];

describe.each(CALLERS)('a %s', (caller) => {
  it.each(ATTACKS)('is refused %s of %s', async (name, path) => {
    const { status, text, ms } = await ask(path, { caller });
    expect([status, JSON.parse(text)], text).toMatchObject([422, { code: 'PT422', message: 'invalid' }]);
    expect(Object.values(JSON.parse(JSON.parse(text).details)).join(' ')).toContain(name);
    expect(JSON.parse(text).hint).toBeTruthy();
    expect(ms).toBeLessThan(2_000);
  });

  it.each(['exact', 'planned', 'estimated'])('is refused a count (%s)', async (count) => {
    for (const method of ['GET', 'HEAD']) {
      const headers = { prefer: `handling=lenient, count=${count}` };
      expect((await ask('updates?select=id', { caller, method, headers })).status).toBe(422);
    }
  });

  it('is refused plans, other time zones and transactions of its own', async () => {
    const preferences: Record<string, string>[] = [
      { accept: 'application/vnd.pgrst.plan+json; options=analyze' },
      { prefer: 'timezone=Asia/Tokyo' },
      { prefer: 'tx=rollback' },
    ];
    for (const headers of preferences) {
      expect((await ask('updates?select=id', { caller, headers })).status).toBe(422);
    }
  });

  it('writes to no table, whatever the filter', async () => {
    const filter = `coverage_id=eq.${newsroom.long.id}&headline=not.match.${BACKTRACKING}`;
    for (const [method, body] of [
      ['PATCH', { headline: 'a' }],
      ['DELETE', undefined],
      ['POST', [{ headline: 'a' }]],
      ['PUT', { headline: 'a' }],
    ] as const) {
      for (const prefer of [
        'return=representation',
        'return=headers-only',
        'handling=strict, max-affected=1',
      ]) {
        const path = `updates?${method === 'POST' ? '' : filter}&select=*,coverages(*)`;
        const { status, text } = await ask(path, { caller, method, body, headers: { prefer } });
        expect([method, prefer, status < 500 && status >= 400, text.includes('"id"')], text).toEqual([
          method,
          prefer,
          true,
          false,
        ]);
      }
    }
  });

  it('is refused a function that is not listed, and more arguments than it may send', async () => {
    expect(JSON.parse((await ask('rpc/pg_sleep', { caller, body: {} })).text).code).toBe('PGRST202');
    const { status } = await ask('rpc/search', { caller, body: { filters: { q: 'a'.repeat(300_000) } } });
    expect([413, 422]).toContain(status);
  });
});

/** A request may hold the backend for 5 s, and its supervisor waits longer. In milliseconds. */
const LONGEST_HEALTH_MS = 5_000;

it('answers /health while attacks are under way', async () => {
  const attacks = Promise.all(
    Array.from({ length: 5 }, () => ATTACKS)
      .flat()
      .map(([, path], n) => ask(path, { caller: CALLERS[n % CALLERS.length] })),
  );
  const times: number[] = [];
  let isOver = false;
  const over = attacks.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const begun = performance.now();
    const { status } = await fetch(`${backend.url}/health`);
    times.push(performance.now() - begun);
    expect(status).toBe(200);
  }
  expect((await over).map(({ status }) => status)).not.toContain(200);
  expect(Math.max(...times)).toBeLessThan(LONGEST_HEALTH_MS);
});

describe('the bytes of an answer', () => {
  const wordy = (limit: number) =>
    `updates?select=id,number,body&coverage_id=eq.${newsroom.wordy.id}&order=number&limit=${limit}`;

  it('are as many as the class of the caller may get', async () => {
    const { status, text } = await ask(wordy(20));
    expect([status, text.length < QUERY_LIMITS.visitor.responseBytes]).toEqual([200, true]);
    expect((await ask(wordy(200), { caller: 'reader' })).status).toBe(200);
  });

  it('end the query when they are more', async () => {
    const { status, text } = await ask(wordy(100));
    expect([status, JSON.parse(text)]).toMatchObject([413, { code: 'PT413', message: 'too_large' }]);
    expect(JSON.parse(text).hint).toMatch(/fewer rows/);
  });

  it('cannot be hidden behind the names of columns', async () => {
    const select = ['part', 'answer', '"answer bytes"'].map(
      (alias, n) => `${alias}:${['id', 'number', 'seq'][n]}`,
    );
    const path = `updates?select=${select},body&coverage_id=eq.${newsroom.wordy.id}&limit=100`;
    const { status } = await ask(path);
    expect([400, 413, 422]).toContain(status);
  });
});
