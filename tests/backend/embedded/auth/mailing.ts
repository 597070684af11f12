import { randomUUID } from 'node:crypto';
import type { EmailOtpType } from '@supabase/supabase-js';
import { anonClient, serviceClient, type TestBackend } from '../../../support/backend.ts';
import { type Mailbox, mailboxOf, type ParsedMail } from '../../../support/mail.ts';
import { createAccount } from '../../../support/newsroom.ts';
import { openMailedLink } from '../../../support/sign-in.ts';
import { test as base, PROBE_SCHEMA } from '../probe.ts';

export const SITE_URL = 'https://news.example';
export const PASSWORD = 'correct horse battery';
export const newAddress = () => `${randomUUID()}@example.com`;

type Backend = Parameters<typeof anonClient>[0];

export type Mailing = TestBackend & { mails: Mailbox };

/** A test on a shared backend that sends mails to a mailbox of the tests. */
export const test = base
  .extend('backendOptions', {
    migrations: PROBE_SCHEMA,
    environment: { SITE_URL, EMBEDDED_SUPABASE_MAILBOX: 'on' },
  })
  .extend(
    'mailing',
    { scope: 'file' },
    ({ backend }): Mailing => ({ ...backend, mails: mailboxOf(backend.url) }),
  );

/** Returns the parameters of a mail's link. */
export function readLink({ link }: ParsedMail) {
  const { origin, pathname, searchParams } = new URL(link);
  return {
    page: origin + pathname,
    token_hash: searchParams.get('token_hash') ?? '',
    type: searchParams.get('type') as EmailOtpType,
    next: searchParams.get('next'),
  };
}

/** Opens a mail's link and confirms it. @param as type to use instead of the link's own, which is refused */
export const follow = (backend: Backend, { link }: ParsedMail, as?: EmailOtpType) =>
  openMailedLink(backend, link, as);

/** Enters the code of a mail. */
export function typeIn(
  backend: Backend,
  mail: ParsedMail,
  { email = mail.to, type = readLink(mail).type, token = mail.code ?? '' } = {},
) {
  return anonClient(backend).auth.verifyOtp({ email, token, type });
}

/** Creates an account with a confirmed address. */
export const newMember = (backend: Backend, account?: { email?: string; password?: string }) =>
  createAccount({ service: serviceClient(backend) }, account);

/** Signs an account in with its password. */
export async function signedIn(backend: Backend, account: { email: string; password: string }) {
  const client = anonClient(backend);
  const { error } = await client.auth.signInWithPassword(account);
  if (error) throw error;
  return client;
}
