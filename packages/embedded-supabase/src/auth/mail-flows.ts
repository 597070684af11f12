import { afterAnswer } from './background.ts';
import type { AuthHouse, Call } from './context.ts';
import { resendEmailChange } from './email-change.ts';
import { invalid } from './errors.ts';
import { checkEmail } from './input.ts';
import { mailToken, requireMailer } from './mail-tokens.ts';
import { createUser, findUser } from './users.ts';

/*
 * Mails that a stranger may ask for. Each call answers the same whoever the address belongs to, and before
 * anything is done: see afterwards.ts.
 */

/** `POST /otp`: a link and a code to sign in. With `create_user`, which is the rule, whoever has no account gets one. */
export async function otp(house: AuthHouse, call: Call): Promise<object> {
  const { email, data, createUser: mayCreate } = call.body;
  requireMailer(house);
  checkEmail(email);
  house.limits.mail('magic_link', email, call.device.address);
  const creates = mayCreate && house.config.auth.signUp && house.config.auth.email.signUp;
  if (creates) house.limits.signUp(call.device.address);
  await afterAnswer(house, async () => {
    const { db } = house.lite;
    const newcomer = { email, passwordHash: undefined, confirmed: false, data };
    const known = await findUser(db, { email });
    // Neither: nobody new is wanted, or another call has made the account meanwhile and sends its own mail.
    const user = known ?? (creates && (await db.transaction().execute((tx) => createUser(tx, newcomer))));
    if (!user) return;
    const kind = user.email_confirmed_at ? 'magic_link' : 'confirmation';
    await mailToken(house, kind, { userId: user.id, type: 'magiclink', address: email }, call.redirectTo);
  });
  return {};
}

/** `POST /recover`: a link and a code to choose a new password. */
export async function recover(house: AuthHouse, call: Call): Promise<object> {
  const { email } = call.body;
  requireMailer(house);
  checkEmail(email);
  house.limits.mail('recovery', email, call.device.address);
  await afterAnswer(house, async () => {
    const user = await findUser(house.lite.db, { email });
    if (!user) return;
    await mailToken(
      house,
      'recovery',
      { userId: user.id, type: 'recovery', address: email },
      call.redirectTo,
    );
  });
  return {};
}

/** `POST /resend`: the mail of a sign-up, or of a change of address, once more. */
export async function resend(house: AuthHouse, call: Call): Promise<object> {
  const { email, type } = call.body;
  if (type !== 'signup' && type !== 'email_change') {
    throw invalid('Missing one of these types: signup, email_change');
  }
  requireMailer(house);
  checkEmail(email);
  house.limits.mail(type === 'signup' ? 'confirmation' : 'email_change', email, call.device.address);
  await afterAnswer(house, async () => {
    const user = await findUser(house.lite.db, { email });
    if (type === 'email_change' && user?.email_change) {
      await resendEmailChange(house, user.id, call.redirectTo);
    }
    if (type === 'signup' && user && !user.email_confirmed_at) {
      const letter = { userId: user.id, type, address: email } as const;
      await mailToken(house, 'confirmation', letter, call.redirectTo);
    }
  });
  return {};
}
