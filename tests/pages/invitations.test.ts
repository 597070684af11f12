import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { accounts } from '../../src/lib/text/accounts.ts';
import { people as words } from '../../src/lib/text/people.ts';
import { cookieJar } from '../support/cookies.ts';
import { formIn } from '../support/forms.ts';
import { test } from '../support/mailing-test.ts';
import { call } from '../support/newsroom.ts';
import { signedIn, whoIs } from '../support/visitor.ts';

test('an invitation goes by mail, and lets in whoever reads it, with the role', async ({
  site,
  newMember,
  mails,
}) => {
  const member = await newMember();
  await call(site.service, 'set_role', { person_id: member.id, role: 'owner' });
  const owner = await signedIn(site.url, member);

  const invited = `${randomUUID()}@example.com`;
  const fields = { name: 'Nell Ashe', email: invited, role: 'moderator', by: 'mail' };
  const answer = await owner.post('/desk/people/invite', fields);
  expect(answer.status).toBe(303);
  const page = await (await owner.get(answer.headers.get('location') ?? '')).text();
  expect(page).toContain(words.done.mailed);
  expect(page).toContain(words.unconfirmed);

  const { link } = await mails.next(invited);
  const jar = cookieJar(site.url);
  const opened = await (await jar.get(link.slice(site.url.length))).text();
  const form = formIn(opened, accounts.link.invite.press);
  expect((await jar.post(form.action, form.fields)).headers.get('location')).toBe('/reset-password');
  const chosen = await jar.post('/reset-password', { password: 'a password of my own' });
  expect(chosen.headers.get('location')).toBe('/desk');
  expect(await whoIs(jar)).toMatchObject({ display_name: 'Nell Ashe', role: 'moderator' });
});
