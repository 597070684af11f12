import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { accounts } from '../../src/lib/i18n/en/accounts.ts';
import { invites } from '../../src/lib/i18n/en/people.ts';
import { cookieJar, currentPerson, findForm, signInWithCookies } from '../support/http-client.ts';
import { call } from '../support/newsroom.ts';
import { testWithMails as test } from '../support/test.ts';

test('invites by mail and gives the invited person the role', async ({ site, newAccount, mails }) => {
  const member = await newAccount();
  await call(site.service, 'set_role', { person_id: member.id, role: 'owner' });
  const owner = await signInWithCookies(site.url, member);

  const invited = `${randomUUID()}@example.com`;
  const fields = { name: 'Nell Ashe', email: invited, role: 'moderator', by: 'mail' };
  const answer = await owner.post('/desk/people/invite', fields);
  expect(answer.status).toBe(303);
  const page = await (await owner.get(answer.headers.get('location') ?? '')).text();
  expect(page).toContain(invites.done.mailed);
  expect(page).toContain(invited);

  // The token of the mail is valid for an hour, the invitation that it opens for a week.
  const { link } = await mails.next(invited);
  const jar = cookieJar(site.url);
  const redirected = await jar.get(link.slice(site.url.length));
  const invitation = new URL(redirected.headers.get('location') ?? '', site.url).pathname;
  expect(invitation).toMatch(/^\/invites\/[\w-]{43}$/);
  const form = findForm(await (await jar.get(invitation)).text(), invites.opened.join);
  const chosen = await jar.post(form.action || invitation, {
    ...form.fields,
    password: 'a password of my own',
  });
  expect(chosen.headers.get('location')).toBe('/desk');
  expect(await currentPerson(jar)).toMatchObject({ display_name: 'Nell Ashe', role: 'moderator' });
});

test('links to the account of an address only when it has one', async ({ site, newAccount }) => {
  const [inviter, member] = [await newAccount(), await newAccount()];
  await call(site.service, 'set_role', { person_id: inviter.id, role: 'owner' });
  await call(site.service, 'set_role', { person_id: member.id, role: 'editor' });
  const owner = await signInWithCookies(site.url, inviter);
  const refusedPage = async (email: string) => {
    const fields = { name: 'Ben', email, role: 'reporter', by: 'link' };
    const answer = await owner.post('/desk/people/invite', fields);
    expect(answer.status).toBe(422);
    return answer.text();
  };
  expect(await refusedPage('ben')).not.toContain(invites.form.look);
  expect(await refusedPage(member.email)).toContain(invites.form.look);
});

test('mails an invited account holder a link that signs in and opens the invitation', async ({
  site,
  newAccount,
  mails,
}) => {
  const [inviter, member] = [await newAccount(), await newAccount()];
  await call(site.service, 'set_role', { person_id: inviter.id, role: 'owner' });
  const owner = await signInWithCookies(site.url, inviter);
  const fields = { name: 'Ben', email: member.email, role: 'editor', by: 'mail' };
  expect((await owner.post('/desk/people/invite', fields)).status).toBe(303);
  const { link } = await mails.next(member.email);
  const jar = cookieJar(site.url);
  const form = findForm(await (await jar.get(link.slice(site.url.length))).text(), accounts.link.email.press);
  const invitation = (await jar.post(form.action, form.fields)).headers.get('location') ?? '';
  expect(invitation).toMatch(/^\/invites\/[\w-]{43}$/);
  const accept = findForm(await (await jar.get(invitation)).text(), invites.opened.accept);
  expect((await jar.post(invitation, accept.fields)).headers.get('location')).toBe('/desk');
  expect(await currentPerson(jar)).toMatchObject({ role: 'editor' });
});
