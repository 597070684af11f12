import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/accounts.ts';
import { invites } from '../../src/lib/i18n/invites.ts';
import { cookieJar, formIn, signInJar, whoIs } from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import { testWithMails as test } from '../support/test.ts';

test('an invitation goes by mail, and lets in whoever reads it, with the role', async ({
  site,
  newAccount,
  mails,
}) => {
  const member = await newAccount();
  await call(site.service, 'set_role', { person_id: member.id, role: 'owner' });
  const owner = await signInJar(site.url, member);

  const invited = `${randomUUID()}@example.com`;
  const fields = { name: 'Nell Ashe', email: invited, role: 'moderator', by: 'mail' };
  const answer = await owner.post('/desk/people/invite', fields);
  expect(answer.status).toBe(303);
  const page = await (await owner.get(answer.headers.get('location') ?? '')).text();
  expect(page).toContain(invites.done.mailed);
  expect(page).toContain(invited);

  // The mail's own token is good for an hour; what it leads to is good for a week.
  const { link } = await mails.next(invited);
  const jar = cookieJar(site.url);
  const led = await jar.get(link.slice(site.url.length));
  const invitation = new URL(led.headers.get('location') ?? '', site.url).pathname;
  expect(invitation).toMatch(/^\/invites\/[\w-]{43}$/);
  const form = formIn(await (await jar.get(invitation)).text(), invites.opened.join);
  const chosen = await jar.post(form.action || invitation, {
    ...form.fields,
    password: 'a password of my own',
  });
  expect(chosen.headers.get('location')).toBe('/desk');
  expect(await whoIs(jar)).toMatchObject({ display_name: 'Nell Ashe', role: 'moderator' });
});

test('somebody with an account gets a mail that signs in and leads to the invitation', async ({
  site,
  newAccount,
  mails,
}) => {
  const [chief, member] = [await newAccount(), await newAccount()];
  await call(site.service, 'set_role', { person_id: chief.id, role: 'owner' });
  const owner = await signInJar(site.url, chief);
  const fields = { name: 'Ben', email: member.email, role: 'editor', by: 'mail' };
  expect((await owner.post('/desk/people/invite', fields)).status).toBe(303);
  const { link } = await mails.next(member.email);
  const jar = cookieJar(site.url);
  const form = formIn(await (await jar.get(link.slice(site.url.length))).text(), accounts.link.email.press);
  const led = (await jar.post(form.action, form.fields)).headers.get('location') ?? '';
  expect(led).toMatch(/^\/invites\/[\w-]{43}$/);
  const accept = formIn(await (await jar.get(led)).text(), invites.opened.accept);
  expect((await jar.post(led, accept.fields)).headers.get('location')).toBe('/desk');
  expect(await whoIs(jar)).toMatchObject({ role: 'editor' });
});
