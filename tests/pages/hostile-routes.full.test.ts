import { globSync } from 'node:fs';
import { expect } from 'vitest';
import { cookieJar, type RawResponse, rawRequest as requestBy, sendRaw } from '../support/http-client.ts';
import { seedNewsroom } from '../support/seeded-newsroom.ts';
import { test as base } from '../support/test.ts';

// Each request comes from another client, so that rate limits do not apply.
const test = base.extend('environment', { STOPPRESS_PROXIES: '1' });
let clients = 0;

function request(url: string, path: string, { headers = [], ...rest }: Parameters<typeof requestBy>[2] = {}) {
  const client = `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients++ & 255}`;
  return requestBy(url, path, { ...rest, headers: [`X-Forwarded-For: ${client}`, ...headers] });
}

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111';
const SECRET = 'x'.repeat(43);

/** An example for each route parameter, by the route's path. A new parameter needs an entry here. */
const EXAMPLES: Record<string, (slug: string) => string> = {
  'live/[slug]': (slug) => slug,
  'desk/[slug]': (slug) => slug,
  'follow/live/[slug]': (slug) => slug,
  'topics/[slug]': (slug) => `${slug}-topic`,
  'follow/topics/[slug]': (slug) => `${slug}-topic`,
  'follow/confirm/[token]': () => 'a'.repeat(43),
  'live/[slug]/[number]': () => '2',
  'live/[slug]/[number]/map/[place]': () => '53.69,-0.44,15',
  'archive/[year]': () => '2026',
  'archive/[year]/[month]': () => '11',
  'people/[handle]': () => 'somebody',
  'photos/[id]': () => UNKNOWN_ID,
  'photos/[id]/[width]': () => '480',
  'site-images/[name]': () => `${'a'.repeat(32)}-400x96.svg`,
  'desk/photos/[id]': () => UNKNOWN_ID,
  'desk/photos/[id]/[width]': () => '480',
  'api/photos/[id]': () => UNKNOWN_ID,
  'media/[id]': () => UNKNOWN_ID,
  'media/[id]/[file]': () => '12000-9.mp4',
  'desk/media/[id]': () => UNKNOWN_ID,
  'desk/media/[id]/[file]': () => '12000-9.mp4',
  'api/media/[id]': () => UNKNOWN_ID,
  'desk/people/[id]': () => UNKNOWN_ID,
  'desk/site/[section]': () => 'place',
  'account/[over]': () => 'deleted',
  'account/tips/[id]': () => UNKNOWN_ID,
  'invites/[token]': () => SECRET,
  'unsubscribe/[token]': () => SECRET,
  'tips/[receipt]': () => SECRET,
  'sitemaps/[part]': () => '2026-11',
};

/** The path of every route in src/pages, with its parameters. */
const ROUTES = globSync('src/pages/**/*.{astro,ts}')
  .map((file) =>
    file
      .slice('src/pages/'.length)
      .replace(/\.(astro|ts)$/, '')
      .replace(/(^|\/)index$/, ''),
  )
  .toSorted();

function fill(route: string, slug: string, value?: string): string {
  const parts = route.split('/');
  const last = parts.findLastIndex((part) => part.includes('['));
  const filled = parts.map((part, n) => {
    if (!part.includes('[')) return part;
    const name = [...parts.slice(0, n), part.replace(/\].*$/, ']')].join('/');
    const example = EXAMPLES[name];
    if (!example) throw new Error(`EXAMPLES of this test has no entry for ${name}`);
    return part.replace(/\[\w+\]/, n === last && value !== undefined ? value : example(slug));
  });
  return `/${filled.join('/')}`;
}

const PRIVATE =
  /^\/(?:(?:desk|account|api(?!\/coverages\.json$)|auth|sign-in|sign-up|reset-password|invites|setup)(?:\/|$)|follow\/)/;

/** Internals of the server and secrets. */
const INTERNALS =
  /node_modules|\n\s+at |file:\/\/|TypeError|PGRST|SQLSTATE|sb_secret|Unhandled|\/work\/|\/tmp\//;

/** Expects what every response must satisfy. */
function expectSafe({ status, headers, text }: RawResponse, request: string): void {
  expect(status, request).toBeGreaterThanOrEqual(200);
  expect(status, request).toBeLessThan(500);
  // Workers contain the code that reads refusals.
  if (!headers.get('content-type')?.startsWith('text/javascript'))
    expect(INTERNALS.exec(text)?.[0], request).toBeUndefined();
  for (const name of ['server', 'x-powered-by', 'strict-transport-security']) {
    expect(headers.has(name), `${name} of ${request}`).toBe(false);
  }
  if (status === 304) return;
  expect(headers.get('x-content-type-options'), request).toBe('nosniff');
  expect(headers.get('content-security-policy'), request).toMatch(/frame-ancestors|^sandbox$|^default-src/);
}

/** Runs six items at a time. */
async function each<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const remaining = [...items];
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let item = remaining.pop(); item !== undefined; item = remaining.pop()) await act(item);
    }),
  );
}

const HOSTILE = [
  '%00',
  '..%2f..%2fdesk',
  '%5c',
  '%zz',
  '%c0%ae%c0%ae',
  '%252e%252e',
  '%0d%0aX-Evil:1',
  '%E2%80%AE%F0%9F%98%80',
  '__proto__',
  'true',
  'null',
  '-1',
  '99999999999999999999',
  "'%20or%201=1--",
  'a'.repeat(9_000),
];

/** Known parameters with invalid values: many at once, repeated, and too many. */
const QUERIES = [
  'before=%00&page=%00&q=%00&after=%00&until=%00&archive=%00&url=%00&coverage=%00&view=%00&person=%00&next=%00',
  'before=99999999999999999999&before=2&page=99999999999999999999&q[]=1&after=-1&until=1e9&archive=9999999-11&url=javascript:1&view=constructor',
  'next=//evil.example&next=%0d%0aX-Evil:1&type=__proto__&token_hash=x&for=__proto__&done=__proto__&form=constructor&q=%ff&show=__proto__&order=toString',
  `${'a=1&'.repeat(2_000)}q=${'x'.repeat(5_000)}&%00=%00&&&===;;;`,
];

/** Time for a thousand requests after starting and seeding the site. */
const TIME_LIMIT = { timeout: 180_000 };

test(
  'answers hostile addresses of every route safely, and stays intact',
  TIME_LIMIT,
  async ({ site, newsroom, people }) => {
    const { coverage } = await seedNewsroom(newsroom);
    const jar = cookieJar(site.url);
    await jar.post('/sign-in', { email: people.owner.email, password: people.owner.password });
    const ask = async (path: string, headers: string[] = []) => {
      const answer = await sendRaw(site.url, request(site.url, path, { headers }));
      const what = `GET ${path.slice(0, 120)}`;
      expectSafe(answer, what);
      expect(answer.headers.get('location') ?? '/', what).toMatch(/^\/(?!\/)[\x21-\x7e]*$/);
      expect(answer.headers.has('x-evil'), what).toBe(false);
      if (!PRIVATE.test(path.split('?')[0] ?? '') || answer.status === 301) return;
      if (answer.headers.get('cache-control')?.includes('s-maxage')) expect(answer.status, what).toBe(404);
      else expect(answer.headers.get('cache-control'), what).toContain('no-store');
    };
    expect(ROUTES.length).toBeGreaterThan(70);
    const paths = ROUTES.flatMap((route) => [
      fill(route, coverage.slug),
      ...(route.includes('[') ? HOSTILE.map((value) => fill(route, coverage.slug, value)) : []),
    ]);
    await each(paths, (path) => ask(path));
    await each(
      ROUTES.flatMap((route) => QUERIES.map((query) => `${fill(route, coverage.slug)}?${query}`)),
      (path) => ask(path),
    );
    // The same requests by an owner, who passes the permission checks.
    const cookie = [`Cookie: ${[...jar.cookies].map((pair) => pair.join('=')).join('; ')}`];
    const opened = ROUTES.filter((route) => PRIVATE.test(`/${route}`) && !route.startsWith('auth/sign-out'));
    await each(
      opened.flatMap((route) => [
        `${fill(route, coverage.slug)}?page=99999999999999999999&done=__proto__&view=__proto__&before=%00`,
        ...(route.includes('[')
          ? ['%00', '__proto__', '%5c', '-1'].map((value) => fill(route, coverage.slug, value))
          : []),
      ]),
      (path) => ask(path, cookie),
    );
    const next = await fetch(`${site.url}/live/${coverage.slug}`);
    expect([next.status, await next.text()]).toEqual([200, expect.stringContaining('The river is rising.')]);
    expect(site.errors()).not.toMatch(/fault|TypeError|RangeError|Unhandled/);
  },
);

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const PARTS = 'Content-Type: multipart/form-data; boundary=x';
const NAMES =
  'form email password new_password current_password headline slug body token token_hash type code role id scope next idempotency_key ' +
  'person version kind time_zone language starts_at name mode coverage photo alt expires_at';
const filled = (value: string, more = '') =>
  `${NAMES.split(' ')
    .map((name) => `${name}=${value}`)
    .join('&')}${more}`;
const part = (name: string, rest = '', value = '1') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n${value}\r\n`;

const BODIES: Record<string, [headers: string[], body: string]> = {
  JSON: [['Content-Type: application/json'], '{"form":"x","__proto__":{"a":1}}'],
  'JSON of the wrong types': [
    ['Content-Type: application/json'],
    '{"id":{},"person":[],"subscription":1,"former":{}}',
  ],
  'plain text': [['Content-Type: text/plain'], 'form=x'],
  'truncated parts': [[PARTS], part('form').slice(0, -4)],
  'files instead of text': [
    [PARTS],
    `${NAMES.split(' ')
      .map((name) => part(name, '; filename="../../x\0.svg"', '<svg/>'))
      .join('')}--x--\r\n`,
  ],
  'twenty thousand fields': [[FORM], Array.from({ length: 20_000 }, (_, n) => `f${n}=1`).join('&')],
  'a field of nearly a megabyte': [[FORM], `form=${'a'.repeat(1_000_000)}`],
  'invalid characters': [[FORM], filled('%00%ff%fe%E2%80%AE%ED%A0%80')],
  'names of object prototypes': [[FORM], filled('__proto__', '&__proto__=1&constructor=2')],
  'an address and a password of zeros': [
    [FORM],
    filled('%00%00%00%00%00%00%00%00%00%00', '&email=a@example.com').replace(
      'email=%00%00%00%00%00%00%00%00%00%00',
      '',
    ),
  ],
  'another encoding': [
    [FORM.replace('urlencoded', 'urlencoded; charset=utf-16'), 'Content-Encoding: gzip'],
    '\xff\xfef\0',
  ],
  'an invalid type': [['Content-Type: ;;;=,'], 'a=b'],
};

test(
  'answers hostile bodies and methods on every route safely',
  TIME_LIMIT,
  async ({ site, newsroom, people }) => {
    const { slug } = newsroom.coverage;
    const paths = ROUTES.map((route) => fill(route, slug));
    const jar = cookieJar(site.url);
    await jar.post('/sign-in', { email: people.editor.email, password: people.editor.password });
    const cookie = `Cookie: ${[...jar.cookies].map((pair) => pair.join('=')).join('; ')}`;
    const origin = `Origin: ${site.url}`;
    const counts = { accepted: 0, refused: 0 };
    const send = async (path: string, name: string, session: string[]) => {
      const [headers = [], body = ''] = BODIES[name] ?? [];
      const answer = await sendRaw(
        site.url,
        request(site.url, path, { method: 'POST', headers: [origin, ...session, ...headers], body }),
      );
      expectSafe(answer, `POST ${path} with ${name}${session.length > 0 ? ' by an editor' : ''}`);
      counts[answer.status === 405 ? 'refused' : 'accepted']++;
      if (answer.status === 405) expect(answer.headers.get('allow'), path).toMatch(/^GET, HEAD$/);
      return answer.status !== 405;
    };
    const open: string[] = [];
    await each(paths, async (path) => void ((await send(path, 'plain text', [])) && open.push(path)));
    // The other routes answer 405 to every body.
    expect(open.length).toBeGreaterThan(25);
    const names = Object.keys(BODIES);
    await each(
      open.flatMap((path) => names.map((name) => [path, name] as const)),
      async ([path, name]) => void (await send(path, name, [])),
    );
    // Signing out would end the session, and later requests would be those of a visitor.
    const authenticated = open.filter((path) => path !== '/auth/sign-out');
    const bodyNames = ['invalid characters', 'an address and a password of zeros', 'JSON of the wrong types'];
    await each(
      authenticated.flatMap((path) => bodyNames.map((name) => [path, name] as const)),
      async ([path, name]) => void (await send(path, name, [cookie])),
    );
    const deletions: Record<string, number> = { '/api/push': 401, '/api/device-follows': 422 };
    for (const method of ['DELETE', 'OPTIONS']) {
      await each(paths, async (path) => {
        const answer = await sendRaw(site.url, request(site.url, path, { method, headers: [origin] }));
        expectSafe(answer, `${method} ${path}`);
        expect(answer.status, `${method} ${path}`).toBe(method === 'DELETE' ? (deletions[path] ?? 405) : 405);
      });
    }
    expect(counts.accepted).toBeGreaterThan(250);
    expect(site.errors()).not.toMatch(/fault|TypeError|RangeError|Unhandled/);
  },
);
