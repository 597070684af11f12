import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cookieJar, findForm, signInWithCookies } from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import { test as base, withMails } from '../support/test.ts';

/* Provokes errors of every kind and searches logs, responses, command lines and built files for secrets. */

const REFUSED = 'refused@example.org';

const test = base
  .extend('environment', ({ mails }) => ({
    ...withMails({ mails }),
    STOPPRESS_LOG: 'json',
    STOPPRESS_METRICS_TOKEN: `metrics-${randomUUID()}`,
  }))
  .extend('mailServer', {
    onRcptTo: ({ address }, _session, done) =>
      done(address === REFUSED ? new Error(`550 no such mailbox ${address}`) : undefined),
  });

/** Ids of a process and of all its descendants. */
async function processes(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const below = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(processes));
  return [pid, ...below.flat()];
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test('writes no secret into a log, a response, a command line or a built file', async ({
  site,
  mails,
  people,
  environment,
}) => {
  const secrets = new Map<string, string>();
  const addSecret = (name: string, value = '') => {
    expect(value.length, name).toBeGreaterThan(7);
    secrets.set(value, name);
    return value;
  };
  const answers: string[] = [];
  const formResponses: string[] = [];
  /** @param isOwn response to a form, which repeats the typed values */
  const record = async (answer: Response, isOwn = false) => {
    const text = await answer.text();
    (isOwn ? formResponses : answers).push(
      text,
      [...answer.headers].filter(([name]) => name !== 'set-cookie' && name !== 'location').join('\n'),
    );
    return text;
  };
  const addCookieSecrets = (jar: ReturnType<typeof cookieJar>) => {
    for (const [name, value] of jar.cookies) if (/auth-token/.test(name)) addSecret(name, value.slice(-80));
  };

  addSecret('the secret key', site.secretKey);
  addSecret('the metrics token', environment.STOPPRESS_METRICS_TOKEN);
  const keys = JSON.parse(await readFile(join(site.data, 'keys.json'), 'utf8')) as Record<string, string>;
  for (const [name, value] of Object.entries(keys)) if (typeof value === 'string') addSecret(name, value);

  // A person signs up, mistypes the password, signs in, sends a tip and is invited.
  const email = addSecret('an address', `${randomUUID()}@example.com`);
  const password = addSecret('a password', `right ${randomUUID()}`);
  const stranger = cookieJar(site.url);
  await record(await stranger.post('/sign-up', { email, password, name: 'Nell Ashe' }), true);
  const { link } = await mails.next(email);
  addSecret('a mailed token', new URL(link).searchParams.get('token_hash') ?? '');
  await record(await stranger.get('/auth/confirm?type=signup&token_hash=0000'));
  const page = await (await stranger.get(link.slice(site.url.length))).text();
  const { action, fields } = findForm(page, '');
  await stranger.post(action || link.slice(site.url.length), fields);
  addCookieSecrets(stranger);
  await record(
    await stranger.post('/sign-in', {
      email,
      password: addSecret('a wrong password', `wrong ${randomUUID()}`),
    }),
    true,
  );
  await record(await stranger.post('/reset-password', { email: REFUSED }), true);
  addSecret('an address that no mail reaches', REFUSED);

  const contact = addSecret('a contact', `+353 1 ${Math.random().toString().slice(2, 11)}`);
  const sent = await stranger.post('/tips', { body: 'The gate is open.', name: 'Ada Quill', contact });
  const receipt = sent.headers.get('location')?.split('/').at(-1) ?? '';
  addSecret('a receipt', receipt);
  await record(await stranger.post('/tips', { body: '', contact }), true);

  const owner = await signInWithCookies(site.url, people.owner);
  addCookieSecrets(owner);
  const invited = addSecret('an invited address', `${randomUUID()}@example.com`);
  await owner.post('/desk/people/invite', { name: 'Bo', email: invited, role: 'moderator', by: 'mail' });
  addSecret(
    'a mailed invitation',
    new URL((await mails.next(invited)).link).searchParams.get('token_hash') ?? '',
  );
  await owner.post('/desk/people/invite', { name: 'Bo', email: REFUSED, role: 'moderator', by: 'mail' });

  // Invalid requests, with keys and without.
  const bearer = people.reporter.client.auth;
  const token = addSecret('an access token', (await bearer.getSession()).data.session?.access_token);
  for (const path of [
    '/rest/v1/nothing',
    '/rest/v1/rpc/nothing',
    '/functions/v1/submit-tip',
    '/functions/v1/none',
    '/auth/v1/user',
    '/storage/v1/object/photos/x',
  ])
    await record(
      await fetch(`${site.url}${path}?apikey=${site.secretKey}&email=${email}`, {
        method: 'POST',
        headers: {
          apikey: site.publishableKey,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: `{"contact":"${contact}","password":"${password}"`,
      }),
    );
  for (const path of [
    '/',
    '/tips',
    `/tips/${'0'.repeat(40)}`,
    '/about',
    '/robots.txt',
    '/sitemap.xml',
    '/healthz',
    '/metrics',
    '/api/token',
    '/none',
  ])
    await record(await fetch(site.url + path));
  await call(site.service, 'nothing_of_the_kind', { secret: contact }).catch(() => {});

  const sources = [
    ['the log', site.output() + site.errors()],
    ['a response', answers.join('\n')],
    // People typed addresses and contacts into these forms.
    [
      'a response to a form',
      formResponses.join('\n').replaceAll(email, '').replaceAll(contact, '').replaceAll(REFUSED, ''),
    ],
    ...(await Promise.all(
      (
        await processes(site.pid)
      ).map(async (pid) => [
        'a command line',
        await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      ]),
    )),
    ...(await Promise.all(
      (await filesIn('dist')).map(async (file) => [file, await readFile(file, 'latin1')]),
    )),
  ] as [string, string][];
  expect(sources.find(([, text]) => text.includes('"level"'))?.[0], 'the log is captured').toBe('the log');
  const leaks = sources.flatMap(([place, text]) =>
    [...secrets]
      .filter(([value]) => text.includes(value) || text.includes(encodeURIComponent(value)))
      .map(([, name]) => `${name} in ${place}`),
  );
  expect(leaks).toEqual([]);
  // Browsers get no source maps.
  expect((await filesIn('dist/client')).filter((file) => file.endsWith('.map'))).toEqual([]);
});

test('allows access to the data folder only to the user who runs the newsroom', async ({ site }) => {
  // The mode of the folder protects all files in it.
  const modes = ['', 'keys.json'].map(async (name) => (await stat(join(site.data, name))).mode & 0o777);
  expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
});
