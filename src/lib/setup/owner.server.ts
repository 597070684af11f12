import { signIn } from '../auth/accounts.server.ts';
import { type NewAccount, newAccountProblems, readNewAccount } from '../auth/credentials.ts';
import { authRefusal } from '../auth/refusal.server.ts';
import { type Session, sessionOf } from '../auth/session.server.ts';
import { Refused, refusal, refusalOrThrow } from '../http/errors.ts';
import { textOf } from '../http/forms.ts';
import { type Problems, type Rejected, rejected } from '../http/rejected.ts';
import { admin } from '../supabase/admin.server.ts';
import { dataOf } from '../supabase/answer.ts';
import { setup as words } from '../text/setup.ts';
import { codeHash, readCode } from './code.ts';

/**
 * Whether the newsroom has nobody who owns it and waits for its code.
 * @throws Refused when the backend does not answer
 */
export async function isSetupOpen(): Promise<boolean> {
  return dataOf(admin().rpc('setup_is_open'));
}

/**
 * Makes the first owner of whoever brings the code: of the person who is signed in, or of a new account, which is
 * then signed in. Nothing is made for a wrong code, and no account stays that did not become the owner.
 */
export async function setUp(form: FormData, locals: App.Locals): Promise<'owner' | Rejected> {
  const given = { ...readNewAccount(form), code: readCode(textOf(form, 'code')) };
  try {
    const { person, backend } = sessionOf(locals);
    const problems: Problems = {
      ...(given.code ? {} : { code: words.problems.code }),
      ...(person ? {} : newAccountProblems(given)),
    };
    if (!given.code || Object.keys(problems).length > 0) return { refusal: refusal('invalid'), problems };
    const hash = codeHash(given.code);
    if (!(await dataOf(admin().rpc('setup_is_open', { code_hash: hash })))) {
      throw new Refused(refusal('forbidden', { field: 'code', sentence: words.problems.code }));
    }
    if (person) await makeOwner(hash, person.id);
    else await admit(hash, given, backend);
    return 'owner';
  } catch (error) {
    return rejected(refusalOrThrow(error));
  }
}

async function makeOwner(hash: string, personId: string): Promise<void> {
  await dataOf(admin().rpc('set_up', { code_hash: hash, person_id: personId }));
}

/** @param backend the visitor's, which is signed in at the end */
async function admit(hash: string, account: NewAccount, backend: Session['backend']): Promise<void> {
  const { email, password, name } = account;
  const { auth } = admin();
  const made = await auth.admin.createUser({
    email,
    password,
    email_confirm: true,
    user_metadata: { display_name: name },
  });
  if (made.error) {
    const reason = authRefusal(made.error, backend);
    throw new Refused(
      made.error.code === 'email_exists' ? { ...reason, sentence: words.problems.taken } : reason,
    );
  }
  try {
    await makeOwner(hash, made.data.user.id);
  } catch (error) {
    await auth.admin.deleteUser(made.data.user.id);
    throw error;
  }
  const outcome = await signIn(backend, account);
  if ('refusal' in outcome) {
    throw new Refused({ ...outcome.refusal, field: undefined, sentence: words.problems.signInYourself });
  }
}
