import type { AuthHouse, Call } from './auth-house.ts';
import { isPassword } from './passwords.ts';
import { AuthRefused, invalid } from './refused.ts';
import { sessionAnswer } from './session-answer.ts';
import { beginSession } from './sessions.ts';
import { findUser, isBanned, type User } from './users.ts';

/** `POST /token?grant_type=password`. Who has no such account waits as long as who has it and errs. */
export async function signIn(house: AuthHouse, call: Call): Promise<object> {
  const { email, password = '' } = call.body;
  if (!email) throw invalid('missing email or phone');
  const attempt = house.limits.password(email, call.device.address);
  const known = await findUser(house.lite.db, { email });
  if (!(await isPassword(password, known)) || !known) throw wrong();
  attempt.forgive();
  const { user, session } = await house.lite.db.transaction().execute(async (tx) => {
    const user = await findUser(tx, { id: known.id }, { lock: true });
    // Changed while it was being checked.
    if (user?.encrypted_password !== known.encrypted_password) throw wrong();
    admit(user);
    return { user, session: await beginSession(house, tx, user.id, 'password', call.device) };
  });
  return { ...(await sessionAnswer(house, user, session)), weak_password: null };
}

/** Only who knows the password hears why it does not help. @throws AuthRefused */
function admit(user: User | undefined): asserts user is User {
  if (!user) throw wrong();
  if (isBanned(user)) throw new AuthRefused(400, 'user_banned', 'User is banned');
  if (!user.email_confirmed_at) throw new AuthRefused(400, 'email_not_confirmed', 'Email not confirmed');
}

const wrong = () => new AuthRefused(400, 'invalid_credentials', 'Invalid login credentials');
