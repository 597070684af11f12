import { LIMITS } from '../domain/limits.ts';
import { accounts } from '../i18n/accounts.ts';
import { type Problems, textOf } from './forms.ts';

export type Credentials = { email: string; password: string };
export type NewAccount = Credentials & { name: string };

/** Longer is not an address (RFC 5321). */
const LONGEST_EMAIL = 254;
/** bcrypt looks at 72 bytes and no further: what is longer would be cut without a word. */
const LONGEST_PASSWORD_BYTES = 72;

export function readCredentials(form: FormData): Credentials {
  return { email: readEmail(form), password: readPassword(form) };
}

export function readEmail(form: FormData): string {
  return textOf(form, 'email').trim();
}

/** As it was typed: a space may be part of it. */
export function readPassword(form: FormData): string {
  return textOf(form, 'password');
}

export function readNewAccount(form: FormData): NewAccount {
  return { ...readCredentials(form), name: textOf(form, 'name').trim() };
}

/** Codes have 8 digits here; a hosted project may be set to 6 to 10. */
const CODE = /^\d{6,10}$/;

/** The code of a mail, however it was parted for reading; undefined when it is none. */
export function readCode(form: FormData): string | undefined {
  const code = textOf(form, 'code').replace(/[\s\-–]/g, '');
  return CODE.test(code) ? code : undefined;
}

/** What can be told without asking: nothing here says whether an account exists. */
export function credentialProblems({ email, password }: Credentials): Problems<'email' | 'password'> {
  return {
    ...(isEmail(email) ? {} : { email: accounts.problems.email }),
    ...(password === '' ? { password: accounts.problems.password } : {}),
  };
}

export function newAccountProblems(account: NewAccount): Problems<'email' | 'password' | 'name'> {
  const password = passwordProblem(account.password, account.email);
  const name = nameProblem(account.name);
  return {
    ...(name ? { name } : {}),
    ...(isEmail(account.email) ? {} : { email: accounts.problems.email }),
    ...(password ? { password } : {}),
  };
}

/** The rule of passwords: long enough, and not the e-mail address. */
export function passwordProblem(password: string, email: string): string | undefined {
  if ([...password].length < LIMITS.password_min) return accounts.problems.passwordShort(LIMITS.password_min);
  if (new TextEncoder().encode(password).length > LONGEST_PASSWORD_BYTES)
    return accounts.problems.passwordLong;
  if (password.toLowerCase() === email.toLowerCase()) return accounts.problems.passwordIsEmail;
  return undefined;
}

export function nameProblem(name: string): string | undefined {
  const length = [...name].length;
  return length < 1 || length > LIMITS.display_name || /\p{Cc}/u.test(name)
    ? accounts.problems.name(LIMITS.display_name)
    : undefined;
}

/** Whether a mail could reach it is for a mail to find out. */
export function isEmail(email: string): boolean {
  return email.length <= LONGEST_EMAIL && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email);
}
