import { randomBytes } from 'node:crypto';
import { authRefusal } from '../auth/refusal.server.ts';
import type { Session } from '../auth/session.server.ts';
import { Refused, refusal } from '../http/errors.ts';
import { pathWith } from '../http/path.ts';
import { isUuid } from '../http/uuid.ts';
import { siteUrl } from '../site/address.ts';
import { admin } from '../supabase/admin.server.ts';
import { dataOf } from '../supabase/answer.ts';
import { people as words } from '../text/people.ts';
import { readDirectory } from './directory.ts';

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
