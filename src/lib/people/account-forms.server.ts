import type { APIContext } from 'astro';
import { readFollowForm } from '../alerts/follow-form.server.ts';
import { dropAlertDevice, saveFollow, targetOf } from '../alerts/my-follows.ts';
import { dropAllPush } from '../alerts/push.server.ts';
import { choosePassword } from '../auth/accounts.server.ts';
import { isEmail, passwordProblem, readEmail } from '../auth/credentials.ts';
import { authRefusal } from '../auth/refusal.server.ts';
import { type Session, sessionOf } from '../auth/session.server.ts';
import { refusal, refusalOrThrow } from '../http/errors.ts';
import { textOf } from '../http/forms.ts';
import { rejected, wrongFields } from '../http/rejected.ts';
import { dataOf } from '../supabase/answer.ts';
import { dropSessionCookie } from '../supabase/session.server.ts';
import { account as words } from '../text/account.ts';
import { accounts } from '../text/accounts.ts';
import { readAccount } from './account.server.ts';
import { type AccountForm, type Answer, isAccountForm, saying } from './account-answer.ts';
import { refuseUnlessPassword } from './current-password.server.ts';

type Backend = Session['backend'];
export type Visit = Pick<APIContext, 'clientAddress' | 'request' | 'cookies'>;
type Act = (backend: Backend, form: FormData, visit: Visit) => Promise<Answer>;

/** The page that confirms that every device is signed out. */
const SIGNED_OUT = '/account/signed-out';

/** What a form of the account's page comes to. */
export async function answerForm(form: FormData, visit: Visit & { locals: App.Locals }): Promise<Answer> {
  const name = textOf(form, 'form');
  if (!isAccountForm(name)) return rejected(refusal('invalid'));
  return withSession(visit, (backend) => ACTS[name](backend, form, visit));
}

/** Runs `act` with the session's client; a refusal, or the lack of a session, becomes the answer to the form. */
export async function withSession(
  { locals }: { locals: App.Locals },
  act: (backend: Backend) => Promise<Answer>,
): Promise<Answer> {
  try {
    const { person, backend } = sessionOf(locals);
    return person ? await act(backend) : rejected(refusal('signed_out', { sentence: words.signedOut }));
  } catch (error) {
    return rejected(refusalOrThrow(error));
  }
}

const ACTS: Record<AccountForm, Act> = {
  async name(backend, form) {
    const content = {
      display_name: textOf(form, 'display_name'),
      ...(form.has('bio') ? { bio: textOf(form, 'bio') } : {}),
    };
    await dataOf(backend.rpc('save_me', { op: crypto.randomUUID(), content }));
    return saying('name');
  },

  async email(backend, form, visit) {
    const wanted = readEmail(form);
    const account = await readAccount(backend);
    const wrong = wrongFields({ email: emailProblem(wanted, account.email) });
    if (wrong) return wrong;
    const refused = await refuseUnlessPassword(visit, account, textOf(form, 'current_password'));
    if (refused) return rejected(refused);
    const { data, error } = await backend.auth.updateUser({ email: wanted });
    if (error) return rejected(authRefusal(error, backend));
    return saying(data.user.email === wanted.toLowerCase() ? 'email' : 'mailed');
  },

  async password(backend, form, visit) {
    const wanted = textOf(form, 'new_password');
    const current = textOf(form, 'current_password');
    const account = await readAccount(backend);
    const same = wanted === current ? words.password.same : undefined;
    const wrong = wrongFields({ new_password: passwordProblem(wanted, account.email) ?? same });
    if (wrong) return wrong;
    const refused = await refuseUnlessPassword(visit, account, current);
    if (refused) return rejected(refused);
    const notChanged = await choosePassword(backend, wanted, current);
    if (notChanged) return rejected(notChanged, { password: 'new_password' });
    return saying('password');
  },

  async password_mail(backend) {
    const { email } = await readAccount(backend);
    const { error } = await backend.auth.resetPasswordForEmail(email);
    return error ? rejected(authRefusal(error, backend)) : saying('password_mail');
  },

  async follow(backend, form) {
    const { kind, slug, wish } = readFollowForm(form);
    const goesOn = await saveFollow(backend, targetOf({ kind, slug }), wish);
    return goesOn ? saying('followed') : saying('unfollowed', { kind, slug });
  },

  async alert_device(backend, form) {
    await dropAlertDevice(backend, textOf(form, 'device'));
    return saying('alert_device');
  },

  async device(backend, form) {
    await dataOf(backend.rpc('sign_out_device', { device: textOf(form, 'device') }));
    return saying('device');
  },

  async everywhere(backend, _form, visit) {
    await dropAllPush(backend);
    const { error } = await backend.auth.signOut({ scope: 'global' });
    if (error) return rejected(authRefusal(error, backend));
    dropSessionCookie(visit);
    return { goTo: SIGNED_OUT };
  },
};

function emailProblem(wanted: string, email: string): string | undefined {
  if (!isEmail(wanted)) return accounts.problems.email;
  return wanted.toLowerCase() === email.toLowerCase() ? words.email.same : undefined;
}
