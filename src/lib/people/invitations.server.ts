import { randomBytes } from 'node:crypto';
import { isEmail, nameProblem, readEmail } from '../auth/credentials.ts';
import type { Role } from '../auth/permissions.ts';
import { authRefusal } from '../auth/refusal.server.ts';
import type { Session } from '../auth/session.server.ts';
import { Refused, refusal, refusalOrThrow } from '../http/errors.ts';
import { textOf } from '../http/forms.ts';
import { pathWith } from '../http/path.ts';
import { type Problems, type Rejected, rejected } from '../http/rejected.ts';
import { isUuid } from '../http/uuid.ts';
import { siteUrl } from '../site/address.ts';
import { admin } from '../supabase/admin.server.ts';
import { dataOf } from '../supabase/answer.ts';
import { accounts } from '../text/accounts.ts';
import { people as words } from '../text/people.ts';
import { findByEmail, readDirectory, roleOf } from './directory.ts';

type Backend = Session['backend'];

export type InvitationForm = { name: string; email: string; role: Role | undefined };
type Invitation = InvitationForm & { role: Role };

/** A way in for one person, to be handed over by the owner. Shown once, kept nowhere. */
export type HandedLink = { name: string; href: string; isNew: boolean };
type Invited = { mailed: string } | { link: HandedLink } | Rejected;

export function readInvitation(form: FormData): InvitationForm {
  return { name: textOf(form, 'name').trim(), email: readEmail(form), role: roleOf(form) };
}

/**
 * Invites somebody with a role: by mail, or by a link to copy.
 * @param backend the owner's: the role is given under the owner's own rights, before anything leaves
 */
export async function invite(backend: Backend, form: FormData): Promise<Invited> {
  const given = readInvitation(form);
  const { name, email, role } = given;
  const wrongName = nameProblem(name);
  const problems: Problems = {
    ...(wrongName ? { name: wrongName } : {}),
    ...(isEmail(email) ? {} : { email: accounts.problems.email }),
    ...(role ? {} : { role: words.problems.role }),
  };
  if (!role || Object.keys(problems).length > 0) return { refusal: refusal('invalid'), problems };
  try {
    const person = await accountFor(backend, { name, email, role });
    if (textOf(form, 'by') === 'link')
      return { link: { name, href: await linkTo(email, 'invite'), isNew: true } };
    await mail(email);
    return { mailed: person };
  } catch (error) {
    return rejected(refusalOrThrow(error));
  }
}

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

/** The account that an invitation is for, with its role: a new one, or one whose address nobody has confirmed. */
async function accountFor(backend: Backend, { name, email, role }: Invitation): Promise<string> {
  const known = await findByEmail(backend, email);
  if (known?.address_confirmed) {
    throw new Refused(refusal('invalid', { field: 'email', sentence: words.invitation.known }));
  }
  if (known && !known.active) throw new Refused(refusal('bad_state', { sentence: words.problems.inactive }));
  const person_id = known?.id ?? (await makeAccount(name, email));
  try {
    // Whoever made an account with somebody else's address must not share it with them.
    if (known) await forgetPassword(person_id);
    await dataOf(backend.rpc('set_role', { op: crypto.randomUUID(), person_id, role }));
  } catch (error) {
    if (!known) await admin().auth.admin.deleteUser(person_id);
    throw error;
  }
  return person_id;
}

async function makeAccount(name: string, email: string): Promise<string> {
  const { data, error } = await admin().auth.admin.createUser({
    email,
    password: nobodysPassword(),
    user_metadata: { display_name: name },
  });
  if (error) throw new Refused(authRefusal(error, admin()));
  return data.user.id;
}

async function forgetPassword(personId: string): Promise<void> {
  const { error } = await admin().auth.admin.updateUserById(personId, { password: nobodysPassword() });
  if (error) throw new Refused(authRefusal(error, admin()));
}

/** One that nobody knows: 256 bits, in fewer than the 72 bytes that bcrypt looks at. */
const nobodysPassword = () => randomBytes(32).toString('base64url');

async function mail(email: string): Promise<void> {
  const { error } = await admin().auth.admin.inviteUserByEmail(email);
  if (!error) return;
  const reason = authRefusal(error, admin());
  const why = error.code === 'email_provider_disabled' ? words.invitation.noMail : words.invitation.notMailed;
  throw new Refused({ ...reason, field: undefined, sentence: why });
}

/** The link leads to the site's own page, which acts when its button is pressed, as the links of mails do. */
async function linkTo(email: string, type: 'invite' | 'recovery'): Promise<string> {
  const { data, error } = await admin().auth.admin.generateLink({ type, email });
  if (error) throw new Refused(authRefusal(error, admin()));
  const { hashed_token, verification_type } = data.properties;
  return siteUrl(pathWith('/auth/confirm', { token_hash: hashed_token, type: verification_type }));
}
