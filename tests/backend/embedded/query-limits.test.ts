import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { signUp, type TestBackend } from '../../support/backend.ts';
import { test } from './probe.ts';

let backend: TestBackend;
let member: string;
test.beforeAll(async ({ backend: shared }) => {
  backend = shared;
  const { client } = await signUp(backend, {
    email: 'member@example.com',
    password: 'correct horse battery',
  });
  member = (await client.auth.getSession()).data.session?.access_token ?? '';
});

let lines = 0;
/** Returns a client address for X-Forwarded-For that no other test has used. */
const newAddress = () => `203.0.113.${++lines}`;

type Asked = {
  address?: string;
  token?: string;
  key?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
};

function ask(
  path: string,
  { address, token, key = backend.publishableKey, method, headers, body }: Asked = {},
) {
  return fetch(`${backend.url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...backend.headers,
      apikey: key,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(address && { 'x-forwarded-for': address }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body,
  });
}

const rows = async (answer: Promise<Response>) => ((await (await answer).json()) as unknown[]).length;

describe('rows', () => {
  test.each([
    ['/rest/v1/books', {}],
    ['/rest/v1/books?limit=500', {}],
    ['/rest/v1/books', { range: '0-499', 'range-unit': 'items' }],
    ['/rest/v1/books?offset=200&limit=1000', {}],
    ['/rest/v1/rpc/all_books?limit=1000', {}],
  ])('a visitor gets 100 of %s %o', async (path, headers) => {
    expect(await rows(ask(path, { address: newAddress(), headers }))).toBe(100);
  });

  test('a visitor gets 100 including embedded rows', async () => {
    const answer = await ask('/rest/v1/categories?select=id,books(id)&books.limit=500', {
      address: newAddress(),
    });
    const categories = (await answer.json()) as { books: unknown[] }[];
    const books = categories.flatMap((category) => category.books);
    expect([categories.length, books.length]).toEqual([10, 90]);
  });

  test('a member and the server get 1,000', async () => {
    expect(await rows(ask('/rest/v1/books?limit=5000', { address: newAddress(), token: member }))).toBe(1000);
    expect(await rows(ask('/rest/v1/books', { key: backend.secretKey }))).toBe(1000);
  });
});

describe('time', () => {
  test.each([
    'title=like.*a*',
    'title=match.(a+)%2B$',
    'title=imatch.a',
    'title=fts.book',
    'title=like(any).{*a*,*b*}',
    'or=(id.eq.1,and(id.gt.2,title.ilike.*a*))',
    '$not=match.a',
    '$always=is.true',
    'not.and=(title.match.a,id.eq.1)',
    'title->>x=eq.1',
    'select=id,n:title->>x',
    'select=id,title::xml',
    'select=id,categories(id,books(id,categories(id)))',
    'select=id,categories(id),again:categories(id)',
    'select=a:title,b:title',
    'select=*,title',
    'select=id,...categories(name)',
    'select=id.count()',
    'select=id,categories(id,name)&categories.name=match.a',
    'order=title->x',
    'order=id,title,category,id',
    'offset=1001',
    `or=(${Array(21).fill('id.gt.0').join(',')})`,
  ])('a visitor may not use %s', async (query) => {
    const answer = await ask(`/rest/v1/books?${query}`, { address: newAddress() });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ code: 'PT422', message: 'invalid' });
  });

  test.each([
    'id=eq.1',
    'id=in.(1,2)&title=neq.x&order=title.desc,id',
    'or=(id.gte.2,and(id.lt.1,category.is.null))',
    'select=id,name:title,categories(name)&categories.id=gt.3',
    'title=not.is.null',
  ])('a visitor may use %s', async (query) => {
    expect((await ask(`/rest/v1/books?${query}`, { address: newAddress() })).status).toBe(200);
  });

  test('a visitor may not count rows', async () => {
    const headers = { prefer: 'count=exact' };
    expect((await ask('/rest/v1/books', { address: newAddress(), headers })).status).toBe(422);
  });

  test('a member may use patterns, but no regular expressions', async () => {
    const asMember = (query: string) =>
      ask(`/rest/v1/books?${query}`, { address: newAddress(), token: member });
    expect((await asMember('title=ilike.*9*&select=id')).status).toBe(200);
    for (const pattern of [
      'title=match.(a*)*b',
      'title=not.match.(a*)*b',
      'title=not.imatch.(a*)*b',
      'title=not.match(any).{a,b}',
      'or=(id.eq.1,title.imatch(any).{a,b})',
      'or=(id.eq.1,title.not.match.a)',
      'not.and=(id.eq.1,or(title.not.imatch(all).{a},id.eq.2))',
      'select=id,categories(id)&categories.name=not.match.a',
    ]) {
      expect((await asMember(pattern)).status, pattern).toBe(422);
    }
  });

  test('a member may use few text searches in one query', async () => {
    const words = (count: number) => Array.from({ length: count }, (_, n) => `title.wfts.z${n}`).join(',');
    const asMember = (count: number) =>
      ask(`/rest/v1/books?select=id&or=(${words(count)})`, { address: newAddress(), token: member });
    expect((await asMember(3)).status).toBe(200);
    expect((await asMember(4)).status).toBe(422);
  });

  test('a member may embed tables to a limited depth', async () => {
    const asMember = async (query: string) =>
      ask(`/rest/v1/${query}`, { address: newAddress(), token: member });
    const categories = await asMember(
      'categories?select=id,books(id,categories(id))&limit=1000&books.limit=1000',
    );
    const rows = (await categories.json()) as { books: unknown[] }[];
    expect(rows.length).toBeLessThanOrEqual(100);
    for (const { books } of rows) expect(books.length).toBeLessThanOrEqual(50);
    const each = (await (await asMember('books?select=id,categories(id)&limit=1000')).json()) as unknown[];
    expect(each).toHaveLength(100);
    for (const select of [
      'id,books(id,categories(id,books(id)))',
      'id,books(id),b:books(id),c:books(id),d:books(id),e:books(id)',
    ]) {
      expect((await asMember(`categories?select=${select}`)).status, select).toBe(422);
    }
  });

  test("the server's own queries are not limited", async () => {
    expect((await ask('/rest/v1/books?title=match.9$&select=id')).status).toBe(200);
    expect(await rows(ask('/rest/v1/books'))).toBe(1000);
  });
});

describe('size', () => {
  test("a visitor's URL is limited to 4 KB", async () => {
    const long = `/rest/v1/books?id=in.(${Array(900).fill('12345').join(',')})`;
    expect((await ask(long, { address: newAddress() })).status).toBe(414);
    expect((await ask(long, { address: newAddress(), token: member })).status).toBe(200);
  });

  test.each(['/rest/v1/rpc/who_am_i', '/auth/v1/signup'])(
    'a body of %s is limited to 256 KB',
    async (path) => {
      const body = JSON.stringify({ padding: 'x'.repeat(256 * 1024) });
      const answer = await ask(path, { body, token: member });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ code: 'too_large' });
    },
  );

  test('the server may send more', async () => {
    const body = JSON.stringify([{ body: 'x'.repeat(300 * 1024) }]);
    const answer = await ask('/rest/v1/notes', { body, key: backend.secretKey });
    expect(await answer.json()).toMatchObject({ code: '23514' });
  });
});

describe('rate', () => {
  test('a visitor who exceeds the limit gets Retry-After, and other visitors are not affected', async () => {
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask('/rest/v1/kinds', { address })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(60);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused[0]?.json()).toMatchObject({ code: 'PT429', message: 'rate_limited' });
    expect((await ask('/rest/v1/kinds', { address: newAddress() })).status).toBe(200);
    expect((await ask('/rest/v1/kinds')).status).toBe(200);
  });
});

describe('a program on this machine without the server token', () => {
  const askDirectly = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${backend.url}${path}`, { headers: { apikey: backend.publishableKey, ...headers } });

  it('has the limits of a visitor', async () => {
    expect(await rows(askDirectly('/rest/v1/books'))).toBe(100);
    expect((await askDirectly('/rest/v1/books?title=match.9$')).status).toBe(422);
    const wrong = await askDirectly('/rest/v1/books?title=match.9$', { 'x-server-token': 'wrong' });
    expect(wrong.status).toBe(422);
  });

  it('is one visitor, whatever address it names', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const headers = { 'x-forwarded-for': `198.51.100.${n}` };
        return (await askDirectly('/rest/v1/kinds', headers)).status;
      }),
    );
    expect(statuses).toContain(429);
  });
});

describe('passwords', () => {
  const signIn = (email: string, password: string, address: string | undefined) =>
    ask('/auth/v1/token?grant_type=password', { address, body: JSON.stringify({ email, password }) });

  test('ten wrong ones lock the account for that address only', async () => {
    const address = newAddress();
    const tries = Array.from({ length: 14 }, () => signIn('Member@example.com', 'wrong password', address));
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(400), ...Array(4).fill(429)]);

    const right = await signIn('member@example.com', 'correct horse battery', address);
    expect(right.status).toBe(429);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(600);
    expect(await right.json()).toMatchObject({ error_code: 'over_request_rate_limit' });

    expect((await signIn('member@example.com', 'correct horse battery', newAddress())).status).toBe(200);
    expect((await signIn('else@example.com', 'wrong password', address)).status).toBe(400);
  });

  test('right ones are not counted', async () => {
    const address = newAddress();
    for (let i = 0; i < 12; i++) {
      expect((await signIn('member@example.com', 'correct horse battery', address)).status).toBe(200);
    }
  });
});

test('sign-ups from one address are limited', async () => {
  const address = newAddress();
  const made = Array.from({ length: 32 }, (_, i) =>
    // The password is too short, so it is not hashed.
    ask('/auth/v1/signup', {
      address,
      body: JSON.stringify({ email: `many${i}@example.com`, password: 'short' }),
    }),
  );
  const statuses = (await Promise.all(made)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(30).fill(422), 429, 429]);
});

describe('bodies that do not end', () => {
  /**
   * Sends a request without the last byte of its body.
   * @returns its status, 0 until there is one, and functions that complete or abort it
   */
  function begin(path: string, address: string) {
    const body = JSON.stringify({ text: 'x'.repeat(10_000) });
    const sent = request(`${backend.url}${path}`, {
      method: 'POST',
      agent: false,
      headers: {
        ...backend.headers,
        apikey: backend.publishableKey,
        'x-forwarded-for': address,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    });
    const begun = { status: 0, end: () => sent.end(body.slice(-1)), leave: () => sent.destroy() };
    sent.on('error', () => {});
    sent.on('response', (answer) => {
      begun.status = answer.statusCode ?? 0;
      answer.resume();
    });
    sent.write(body.slice(0, -1));
    return begun;
  }

  it.each(['/rest/v1/rpc/who_am_i', '/auth/v1/otp', '/realtime/v1/api/broadcast'])(
    'are limited for one client, and for no other (%s)',
    async (path) => {
      const attacker = newAddress();
      const sent = Array.from({ length: 60 }, () => begin(path, attacker));
      // Rate limits allow no more requests at once, so the other requests follow later.
      await expect
        .poll(async () => (await ask('/rest/v1/books', { address: newAddress() })).status)
        .toBe(200);
      sent.push(...Array.from({ length: 30 }, () => begin(path, attacker)));
      await expect.poll(() => sent.filter(({ status }) => status === 429).length).toBeGreaterThan(20);
      const other = begin(path, newAddress());
      other.end();
      await expect.poll(() => other.status).toBeGreaterThan(0);
      expect(other.status).not.toBe(429);
      for (const one of [...sent, other]) one.leave();
    },
  );
});
