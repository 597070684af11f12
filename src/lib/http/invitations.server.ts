import { randomBytes } from 'node:crypto';
import { authRefusal, nameProblem, passwordProblem, readMailbox, signIn } from '../data/accounts.server.ts';
import { adminClient } from '../data/admin-client.server.ts';
import { siteUrl } from '../data/environment.ts';
import { fieldText, type RejectedForm, rejectForm, rejectProblems } from '../data/forms.ts';
import { readDirectory } from '../data/people.ts';
import { type BackendClient, dataOf, functionData, runCommand } from '../data/result.ts';
import { isUuid, pathWith } from '../domain/paths.ts';
import { hasDesk, type Person, type Role } from '../domain/permissions.ts';
import { afterSignIn } from '../domain/sign-in.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused, refusalOrThrow } from '../i18n/refusals.ts';

/** A sign-in link that the owner passes on to one person. It is shown once and not stored. */
type OneTimeLink = { name: string; href: string; isNew: boolean };

/**
 * Creates a sign-in link for a person, where no mail can be sent.
 * @throws Refused for all except owners, and for a deactivated account
 */
export async function createOneTimeLink(backend: BackendClient, personId: string): Promise<OneTimeLink> {
  await refuseUnlessOwner(backend);
  const gone = new Refused('not_found', { message: ({ people }) => people.problems.gone });
  if (!isUuid(personId)) throw gone;
  const { data, error } = await adminClient().auth.admin.getUserById(personId);
  if (error) throw error.code === 'user_not_found' ? gone : new Refused(authRefusal(error, adminClient()));
  const { email = '', email_confirmed_at } = data.user;
  const person = await dataOf(
    adminClient().from('people').select('display_name, active').eq('id', personId).single(),
  );
  if (!person.active) throw new Refused('bad_state', { message: ({ people }) => people.problems.inactive });
  const isNew = !email_confirmed_at;
  if (isNew) await replacePassword(personId);
  return { name: person.display_name, href: await linkFor(email, isNew ? 'invite' : 'recovery'), isNew };
}

/** Asks the database, because the admin client used next passes every policy. */
async function refuseUnlessOwner(backend: BackendClient): Promise<void> {
  await readDirectory(backend, { search: '', after: null });
}

async function replacePassword(personId: string): Promise<void> {
  const { error } = await adminClient().auth.admin.updateUserById(personId, { password: randomPassword() });
  if (error) throw new Refused(authRefusal(error, adminClient()));
}

/** A random password of 256 bits, below bcrypt's limit of 72 bytes. */
const randomPassword = () => randomBytes(32).toString('base64url');

/** The link leads to a page of the site, which acts when its button is pressed, like the links in mails. */
async function linkFor(email: string, type: 'invite' | 'recovery'): Promise<string> {
  const { data, error } = await adminClient().auth.admin.generateLink({ type, email });
  if (error) throw new Refused(authRefusal(error, adminClient()));
  const { hashed_token, verification_type } = data.properties;
  return siteUrl(pathWith('/auth/confirm', { token_hash: hashed_token, type: verification_type }));
}

/** The content of an open invitation, or how it ended. */
type OpenedInvite =
  | { state: 'accepted' | 'revoked' | 'expired' }
  | {
      state: 'pending';
      email: string;
      name: string;
      role: Role;
      /** Null also while the coverage is not public. */
      coverage: { slug: string; headline: string } | null;
      /** Days of access of a contributor. */
      days: number | null;
      by: string;
      expires_at: string;
      /** Whether the address has an account. */
      has_account: boolean;
    };

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** @returns null for an unknown link */
export async function openInvite(backend: BackendClient, token: string): Promise<OpenedInvite | null> {
  if (!TOKEN.test(token)) return null;
  return (await dataOf(backend.rpc('read_invite', { token }))) as OpenedInvite | null;
}

/** Whether an invitation is for the signed-in account. */
export async function isInvited(backend: BackendClient, { email }: { email: string }): Promise<boolean> {
  return (await readMailbox(backend)).email.toLowerCase() === email;
}

/**
 * Accepts an invitation, with a new account or with the signed-in one.
 * @returns the path to redirect to, or why the form was rejected
 */
export async function acceptInvitation(
  messages: Messages,
  backend: BackendClient,
  token: string,
  invite: Extract<OpenedInvite, { state: 'pending' }>,
  form: FormData,
): Promise<{ goTo: string } | RejectedForm> {
  try {
    if (fieldText(form, 'act') === 'join') {
      const refused = await join(messages, backend, token, invite, form);
      if (refused) return refused;
    }
    const done = await runCommand(backend, 'accept_invite', { token });
    const { role, coverage } = done as Pick<Person, 'role'> & { coverage: string | null };
    return { goTo: coverage && hasDesk(role) ? `/desk/${coverage}` : afterSignIn(role) };
  } catch (error) {
    return rejectForm(refusalOrThrow(error), messages);
  }
}

/** Creates the account and signs in. @returns a rejection, or undefined */
async function join(
  messages: Messages,
  backend: BackendClient,
  token: string,
  { email }: { email: string },
  form: FormData,
) {
  const [name, password] = [fieldText(form, 'name').trim(), fieldText(form, 'password')];
  const wrong = rejectProblems({
    name: nameProblem(messages, name),
    password: passwordProblem(messages, password, email),
  });
  if (wrong) return wrong;
  const body = { act: 'join', token, name, password };
  await functionData(backend.functions.invoke('invite-person', { body }));
  const outcome = await signIn(backend, { email, password });
  if ('refusal' in outcome) return rejectForm(outcome.refusal, messages);
  // An earlier invitation may have created the account under another name.
  if (outcome.person.display_name !== name) {
    await runCommand(backend, 'save_me', { content: { display_name: name } });
  }
  return undefined;
}
