import { createHash, randomBytes } from 'node:crypto';
import { Refused, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { setup as words } from '../i18n/setup.ts';
import { authRefusal, signIn } from './accounts.server.ts';
import { admin } from './admin-client.server.ts';
import { type NewAccount, newAccountProblems, readNewAccount } from './credentials.ts';
import { type Problems, type Rejected, rejected, textOf } from './forms.ts';
import { dataOf } from './result.ts';
import { type Session, sessionOf } from './session.server.ts';

/** Crockford's 32: no letter among them can be taken for another, or for a digit. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Of five bits each: 80 bits that nobody can guess, in a form that can be typed. */
const LENGTH = 16;

/** The letters of a new one-time code. */
export function newCode(): string {
  return [...randomBytes(LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** A code as it is shown, to be typed: `7KQM-4TZP-0W3B-XN8D`. */
export function grouped(letters: string): string {
  return (letters.match(/.{1,4}/g) ?? []).join('-');
}

/** The letters of a code as somebody typed it, however it is spaced; null when it cannot be one. */
export function readCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  const isCode = letters.length === LENGTH && [...letters].every((letter) => LETTERS.includes(letter));
  return isCode ? letters : null;
}

/** What the database keeps of a code: SHA-256 of its letters, in hex. There is no guessing back from it. */
export function codeHash(letters: string): string {
  return createHash('sha256').update(letters).digest('hex');
}

/**
 * Offers a newsroom that nobody owns to whoever can read what the server prints. An earlier code is void from then on.
 * @returns the code as it is shown, or null when the newsroom has an owner
 * @throws Refused when the backend does not answer
 */
export async function offerSetup(): Promise<string | null> {
  const code = newCode();
  const isOpen = await dataOf(admin().rpc('offer_setup', { code_hash: codeHash(code) }));
  return isOpen ? grouped(code) : null;
}

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
