import { randomBytes } from 'node:crypto';
import { authRefusal, readMailbox, signIn } from '../data/accounts.server.ts';
import { admin } from '../data/admin-client.server.ts';
import { nameProblem, passwordProblem } from '../data/credentials.ts';
import { type Rejected, rejected, textOf, wrongFields } from '../data/forms.ts';
import { readDirectory } from '../data/people.ts';
import { dataOf, functionData } from '../data/result.ts';
import type { Session } from '../data/session.server.ts';
import { siteUrl } from '../data/site-address.ts';
import { isUuid, pathWith } from '../domain/paths.ts';
import { hasDesk, type Person, type Role } from '../domain/permissions.ts';
import { afterSignIn } from '../domain/return-path.ts';
import { people as words } from '../i18n/people.ts';
import { Refused, refusal, refusalOrThrow } from '../i18n/refusals.ts';

type Backend = Session['backend'];

/** A way in for one person, to be handed over by the owner. Shown once, kept nowhere. */
export type HandedLink = { name: string; href: string; isNew: boolean };

/**
 * A link for somebody who cannot get in, to be handed over where no mail can be sent.
 * @throws Refused for anybody but an owner, and for an account that is closed
 */
export async function handLink(backend: Backend, personId: string): Promise<HandedLink> {
  await refuseUnlessOwner(backend);
  const gone = new Refused(refusal('not_found', { sentence: words.problems.gone }));
  if (!isUuid(personId)) throw gone;
  const { data, error } = await admin().auth.admin.getUserById(personId);
  if (error) throw error.code === 'user_not_found' ? gone : new Refused(authRefusal(error, admin()));
  const { email = '', email_confirmed_at } = data.user;
  const person = await dataOf(
    admin().from('people').select('display_name, active').eq('id', personId).single(),
  );
  if (!person.active) throw new Refused(refusal('bad_state', { sentence: words.problems.inactive }));
  const isNew = !email_confirmed_at;
  if (isNew) await forgetPassword(personId);
  return { name: person.display_name, href: await linkTo(email, isNew ? 'invite' : 'recovery'), isNew };
}

/** Asked of the database, because nobody is asked any more behind the door that is opened next. */
async function refuseUnlessOwner(backend: Backend): Promise<void> {
  await readDirectory(backend, { search: '', after: null });
}

async function forgetPassword(personId: string): Promise<void> {
  const { error } = await admin().auth.admin.updateUserById(personId, { password: nobodysPassword() });
  if (error) throw new Refused(authRefusal(error, admin()));
}

/** One that nobody knows: 256 bits, in fewer than the 72 bytes that bcrypt looks at. */
const nobodysPassword = () => randomBytes(32).toString('base64url');

/** The link leads to the site's own page, which acts when its button is pressed, as the links of mails do. */
async function linkTo(email: string, type: 'invite' | 'recovery'): Promise<string> {
  const { data, error } = await admin().auth.admin.generateLink({ type, email });
  if (error) throw new Refused(authRefusal(error, admin()));
  const { hashed_token, verification_type } = data.properties;
  return siteUrl(pathWith('/auth/confirm', { token_hash: hashed_token, type: verification_type }));
}

/* An invitation, for whoever holds its link. */

/** What an open invitation says; of one that has ended only how. */
export type OpenedInvite =
  | { state: 'accepted' | 'revoked' | 'expired' }
  | {
      state: 'pending';
      email: string;
      name: string;
      role: Role;
      /** Null also where readers do not know of it yet. */
      coverage: { slug: string; headline: string } | null;
      /** Of a contributor. */
      days: number | null;
      by: string;
      expires_at: string;
      /** There is an account with this address. */
      known: boolean;
    };

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** @returns null for a link that leads to nothing */
export async function openInvite(backend: Backend, token: string): Promise<OpenedInvite | null> {
  if (!TOKEN.test(token)) return null;
  return (await dataOf(backend.rpc('read_invite', { token }))) as OpenedInvite | null;
}

/** Whether the account that is signed in is the one that an invitation is for. */
export async function isInvited(backend: Backend, { email }: { email: string }): Promise<boolean> {
  return (await readMailbox(backend)).email.toLowerCase() === email;
}

/**
 * Takes an invitation up, as its form was sent: with a new account, or with the one that is signed in.
 * @returns the path to go on to
 */
export async function takeUp(
  backend: Backend,
  token: string,
  invite: Extract<OpenedInvite, { state: 'pending' }>,
  form: FormData,
): Promise<{ goTo: string } | Rejected> {
  try {
    if (textOf(form, 'act') === 'join') {
      const refused = await join(backend, token, invite, form);
      if (refused) return refused;
    }
    const done = await dataOf(backend.rpc('accept_invite', { op: crypto.randomUUID(), token }));
    const { role, coverage } = done as Pick<Person, 'role'> & { coverage: string | null };
    return { goTo: coverage && hasDesk(role) ? `/desk/${coverage}` : afterSignIn(role) };
  } catch (error) {
    return rejected(refusalOrThrow(error));
  }
}

/** Makes the account and begins its session. @returns why not */
async function join(backend: Backend, token: string, { email }: { email: string }, form: FormData) {
  const [name, password] = [textOf(form, 'name').trim(), textOf(form, 'password')];
  const wrong = wrongFields({ name: nameProblem(name), password: passwordProblem(password, email) });
  if (wrong) return wrong;
  const body = { act: 'join', token, name, password };
  await functionData(backend.functions.invoke('invite-person', { body }));
  const outcome = await signIn(backend, { email, password });
  if ('refusal' in outcome) return rejected(outcome.refusal);
  // Whoever named the account before may have been somebody else.
  if (outcome.person.display_name !== name) {
    await dataOf(backend.rpc('save_me', { op: crypto.randomUUID(), content: { display_name: name } }));
  }
  return undefined;
}
