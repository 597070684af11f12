import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cookieJar, formIn, signInJar } from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import { test as base, withMails } from '../support/test.ts';

/* An evening with all that goes wrong in it, and an ear at everything that is said by the way: no secret is among it. */

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

/** The program and all that it has started. */
async function processes(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const below = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(processes));
  return [pid, ...below.flat()];
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test('no secret is in a log, an answer, a command line or a built file', async ({
  site,
  mails,
  people,
  environment,
}) => {
  const secrets = new Map<string, string>();
  const keep = (name: string, value = '') => {
    expect(value.length, name).toBeGreaterThan(7);
    secrets.set(value, name);
    return value;
  };
  const answers: string[] = [];
  const own: string[] = [];
  /** @param isOwn the answer to a form, which gives back what its sender has typed */
  const told = async (answer: Response, isOwn = false) => {
    const text = await answer.text();
    (isOwn ? own : answers).push(
      text,
      [...answer.headers].filter(([name]) => name !== 'set-cookie' && name !== 'location').join('\n'),
    );
    return text;
  };
  const keepCookies = (jar: ReturnType<typeof cookieJar>) => {
    for (const [name, value] of jar.cookies) if (/auth-token/.test(name)) keep(name, value.slice(-80));
  };

  keep('the secret key', site.secretKey);
  keep('the token of the figures', environment.STOPPRESS_METRICS_TOKEN);
  const kept = JSON.parse(await readFile(join(site.data, 'keys.json'), 'utf8')) as Record<string, string>;
  for (const [name, value] of Object.entries(kept)) if (typeof value === 'string') keep(name, value);

  // Somebody signs up, mistypes the password, comes in, tells something, follows, is invited.
  const email = keep('an address', `${randomUUID()}@example.com`);
  const password = keep('a password', `right ${randomUUID()}`);
  const stranger = cookieJar(site.url);
  await told(await stranger.post('/sign-up', { email, password, name: 'Nell Ashe' }), true);
  const { link } = await mails.next(email);
  keep('a mailed token', new URL(link).searchParams.get('token_hash') ?? '');
  await told(await stranger.get('/auth/confirm?type=signup&token_hash=0000'));
  const page = await (await stranger.get(link.slice(site.url.length))).text();
  const { action, fields } = formIn(page, '');
  await stranger.post(action || link.slice(site.url.length), fields);
  keepCookies(stranger);
  await told(
    await stranger.post('/sign-in', { email, password: keep('a wrong password', `wrong ${randomUUID()}`) }),
    true,
  );
  await told(await stranger.post('/reset-password', { email: REFUSED }), true);
  keep('an address that no mail reaches', REFUSED);

  const contact = keep('a contact', `+353 1 ${Math.random().toString().slice(2, 11)}`);
  const sent = await stranger.post('/tips', { body: 'The gate is open.', name: 'Ada Quill', contact });
  const receipt = sent.headers.get('location')?.split('/').at(-1) ?? '';
  keep('a receipt', receipt);
  await told(await stranger.post('/tips', { body: '', contact }), true);

  const owner = await signInJar(site.url, people.owner);
  keepCookies(owner);
  const invited = keep('an invited address', `${randomUUID()}@example.com`);
  await owner.post('/desk/people/invite', { name: 'Bo', email: invited, role: 'moderator', by: 'mail' });
  keep('a mailed invitation', new URL((await mails.next(invited)).link).searchParams.get('token_hash') ?? '');
  await owner.post('/desk/people/invite', { name: 'Bo', email: REFUSED, role: 'moderator', by: 'mail' });

  // What is no call, by whoever has a key or none.
  const bearer = people.reporter.client.auth;
  const token = keep('an access token', (await bearer.getSession()).data.session?.access_token);
  for (const path of [
    '/rest/v1/nothing',
    '/rest/v1/rpc/nothing',
    '/functions/v1/submit-tip',
    '/functions/v1/none',
    '/auth/v1/user',
    '/storage/v1/object/photos/x',
  ])
    await told(
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
    await told(await fetch(site.url + path));
  await call(site.service, 'nothing_of_the_kind', { secret: contact }).catch(() => {});

  const where = [
    ['the log', site.output() + site.errors()],
    ['an answer', answers.join('\n')],
    // Addresses and contacts are what people typed there.
    [
      'an answer to a form',
      own.join('\n').replaceAll(email, '').replaceAll(contact, '').replaceAll(REFUSED, ''),
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
  expect(where.find(([, text]) => text.includes('"level"'))?.[0], 'the log is heard').toBe('the log');
  const found = where.flatMap(([place, text]) =>
    [...secrets]
      .filter(([value]) => text.includes(value) || text.includes(encodeURIComponent(value)))
      .map(([, name]) => `${name} in ${place}`),
  );
  expect(found).toEqual([]);
  // What a browser is given says nothing of the sources.
  expect((await filesIn('dist/client')).filter((file) => file.endsWith('.map'))).toEqual([]);
});

test('what lies in the data folder is for whoever runs the newsroom alone', async ({ site }) => {
  // Nobody else comes past the folder itself, whatever the modes of what is in it.
  const modes = ['', 'keys.json'].map(async (name) => (await stat(join(site.data, name))).mode & 0o777);
  expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
});
