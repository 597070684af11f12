import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { serviceClient, startBackend, type TestBackend } from '../../../support/backend.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/* Malformed requests must never cause a fault or an endless wait. */

let backend: TestBackend;
let token: string;
let person: string;
beforeAll(async () => {
  backend = await startBackend({
    migrations: PROBE_SCHEMA,
    environment: { EMBEDDED_SUPABASE_MAILBOX: 'on' },
  });
  const email = 'person@example.com';
  const password = 'correct horse battery';
  const { data } = await serviceClient(backend).auth.admin.createUser({
    email,
    password,
    email_confirm: true,
  });
  person = data.user?.id ?? '';
  const answer = await send('POST', '/token?grant_type=password', JSON.stringify({ email, password }));
  token = JSON.parse(answer.text).access_token;
});
afterAll(() => backend.stop());

let logged = '';
beforeEach(() => {
  logged = backend.errors();
});
afterEach(() => {
  expect(backend.errors().slice(logged.length)).toBe('');
});

async function send(method: string, path: string, body?: string) {
  const server = /^\/(admin|invite)/.test(path);
  const answer = await fetch(`${backend.url}/auth/v1${path}`, {
    method,
    headers: {
      apikey: server ? backend.secretKey : backend.publishableKey,
      ...(/^\/(user|logout)/.test(path) && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
    },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

const ROUTES: [method: string, path: string][] = [
  ['POST', '/signup'],
  ['POST', '/token?grant_type=password'],
  ['POST', '/token?grant_type=refresh_token'],
  ['POST', '/otp'],
  ['POST', '/recover'],
  ['POST', '/resend'],
  ['POST', '/verify'],
  ['PUT', '/user'],
  ['POST', '/admin/users'],
  ['PUT', '/admin/users/PERSON'],
  ['DELETE', '/admin/users/NOBODY'],
  ['POST', '/admin/generate_link'],
  ['POST', '/invite'],
];
const NOBODY = '00000000-0000-4000-8000-00000000dead';

/** Valid values of fields. The password is left out, because hashing it takes time. */
const SOUND = {
  email: 'someone@example.com',
  new_email: 'someone-else@example.com',
  token: '12345678',
  refresh_token: 'abc',
  data: { display_name: 'Someone' },
  user_metadata: {},
  app_metadata: {},
};
const TEXTS = [
  'email',
  'password',
  'type',
  'token',
  'token_hash',
  'refresh_token',
  'new_email',
  'id',
  'ban_duration',
  'phone',
  'role',
];
const OBJECTS = ['data', 'user_metadata', 'app_metadata'];

const deep = (levels: number, open: string, close: string) =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;
const withDeep = (inner: string) =>
  OBJECTS.map((name) => `{"email":"deep@example.com","type":"invite","${name}":${inner}}`);

const BODIES: [what: string, bodies: string[]][] = [
  ['no JSON', ['', '{', 'null', '1', '"x"', '[]', '[{}]', '\u0000', '{"email":1e999}']],
  [
    'values of another kind',
    [...TEXTS, ...OBJECTS].flatMap((name) =>
      [1, true, ['x'], { a: 1 }].map((value) => JSON.stringify({ ...SOUND, [name]: value })),
    ),
  ],
  [
    'characters that no database keeps',
    [...TEXTS, 'data'].flatMap((name) =>
      ['"\\u0000"', '"a\\ud800"', '{"a":"\\u0000"}', '{"\\u0000":1}', '{"a":"\\udc00"}', '{"\\ud800":1}'].map(
        (value) => JSON.stringify({ ...SOUND, [name]: '@@' }).replace('"@@"', value),
      ),
    ),
  ],
  [
    'depth without end',
    [100, 2_000, 5_000, 20_000].flatMap((levels) => [
      ...withDeep(deep(levels, '{"a":', '}')),
      ...withDeep(`{"a":${deep(levels, '[', ']')}}`),
    ]),
  ],
  [
    'length without end',
    [
      ...TEXTS.map((name) => JSON.stringify({ ...SOUND, [name]: 'x'.repeat(200_000) })),
      JSON.stringify({ ...SOUND, data: { a: 'x'.repeat(1_000_000) } }),
    ],
  ],
  [
    'names of a prototype',
    [
      '{"__proto__":{"email":"a@example.com"}}',
      '{"constructor":1,"data":{"__proto__":{"a":1},"constructor":2}}',
    ],
  ],
];

test.each(BODIES)('%s: answers with success or a refusal', async (_what, bodies) => {
  for (const [method, path] of ROUTES) {
    const where = path.replace('PERSON', person).replace('NOBODY', NOBODY);
    const answers = await Promise.all(bodies.map((body) => send(method, where, body)));
    const faults = answers.flatMap(({ status, text }, i) =>
      isFit(status, text) ? [] : [[method, path, bodies[i]?.slice(0, 150), status, text.slice(0, 200)]],
    );
    expect(faults).toEqual([]);
  }
});

/** Returns whether a response is a success, or a refusal with a code. */
function isFit(status: number, text: string): boolean {
  if (status < 300) return true;
  const answer = JSON.parse(text);
  return status >= 400 && status < 500 && /^[a-z_]+$/.test(answer.error_code ?? answer.code);
}

test.each([
  ['GET', '/admin/users/x'],
  ['GET', '/admin/users/%00'],
  ['GET', `/admin/users/${'x'.repeat(99)}`],
  ['PUT', "/admin/users/' or true --"],
  ['DELETE', '/admin/users/%ff'],
  ['GET', '/admin/users?page=%00'],
  ['GET', '/admin/users?page=99999999999999999999'],
  ['GET', '/admin/users?per_page=-1'],
  ['POST', '/token'],
  ['POST', '/token?grant_type=%00'],
  ['POST', '/logout?scope=%00'],
  ['POST', '/otp?redirect_to=%00'],
  ['POST', '/otp?redirect_to=http://['],
  ['GET', '/admin'],
  ['GET', '/nothing'],
])('answers %s %s without a fault', async (method, path) => {
  const { status } = await send(method, path, method === 'GET' ? undefined : JSON.stringify(SOUND));
  expect(status).toBeLessThan(500);
});
