import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonClient, serviceClient, startBackend, type TestBackend } from '../../../support/backend.ts';
import { type Mailbox, mailboxOf } from '../../../support/mail.ts';
import { newAddress, PASSWORD } from './mailing.ts';

const ENGLISH = /<div lang="en">/;
const SPANISH = /<div lang="es">/;

let backend: TestBackend;
let mails: Mailbox;
beforeAll(async () => {
  backend = await startBackend({ environment: { EMBEDDED_SUPABASE_MAILBOX: 'on' } });
  mails = mailboxOf(backend.url);
});
afterAll(() => backend.stop());

async function setSiteLanguage(language: string): Promise<void> {
  const args = { idempotency_key: randomUUID(), content: { language } };
  const { error } = await serviceClient(backend).rpc('save_site', args);
  expect(error).toBeNull();
}

async function expectMail(to: string, language: RegExp): Promise<void> {
  expect((await mails.next(to)).html).toMatch(language);
}

test("mails to accounts are in the site's language, also after it has changed", async () => {
  const { auth } = anonClient(backend);
  const known = newAddress();
  await auth.signUp({ email: known, password: PASSWORD });
  await expectMail(known, ENGLISH);

  await setSiteLanguage('es-MX');
  await auth.resetPasswordForEmail(known);
  await expectMail(known, SPANISH);

  const fresh = newAddress();
  await auth.signUp({ email: fresh, password: PASSWORD });
  await expectMail(fresh, SPANISH);

  const invited = newAddress();
  const { admin } = serviceClient(backend).auth;
  expect((await admin.inviteUserByEmail(invited, { data: { display_name: 'Ada' } })).error).toBeNull();
  await expectMail(invited, SPANISH);
});

test('an account that names a language gets its mails in that language', async () => {
  await setSiteLanguage('en');
  const email = newAddress();
  const { auth } = anonClient(backend);
  await auth.signUp({ email, password: PASSWORD, options: { data: { language: 'es' } } });
  await expectMail(email, SPANISH);
});

test('a change of address is mailed to both addresses in the language of the account', async () => {
  await setSiteLanguage('es');
  const [email, newEmail] = [newAddress(), newAddress()];
  const { admin } = serviceClient(backend).auth;
  await admin.createUser({ email, password: PASSWORD, email_confirm: true });
  const client = anonClient(backend);
  await client.auth.signInWithPassword({ email, password: PASSWORD });
  expect((await client.auth.updateUser({ email: newEmail })).error).toBeNull();
  await expectMail(email, SPANISH);
  await expectMail(newEmail, SPANISH);
});
