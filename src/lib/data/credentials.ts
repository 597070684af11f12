import { LIMITS } from '../domain/limits.ts';
import type { Messages } from '../i18n/messages.ts';
import { fieldText, type Problems } from './forms.ts';

export type Credentials = { email: string; password: string };
export type NewAccount = Credentials & { name: string };

/** Maximum length of an address in RFC 5321. */
const MAX_EMAIL_LENGTH = 254;
/** bcrypt ignores everything after 72 bytes. */
const MAX_PASSWORD_BYTES = 72;

export function readCredentials(form: FormData): Credentials {
  return { email: emailField(form), password: readPassword(form) };
}

export function emailField(form: FormData): string {
  return fieldText(form, 'email').trim();
}

/** Not trimmed: a space may be part of a password. */
export function readPassword(form: FormData): string {
  return fieldText(form, 'password');
}

export function readNewAccount(form: FormData): NewAccount {
  return { ...readCredentials(form), name: fieldText(form, 'name').trim() };
}

/** Our codes have 8 digits. Hosted projects can be configured for 6 to 10. */
const CODE = /^\d{6,10}$/;

/** Returns the code of a mail without spaces and dashes; undefined if it has the wrong form. */
export function readMailCode(form: FormData): string | undefined {
  const code = fieldText(form, 'code').replace(/[\s\-–]/g, '');
  return CODE.test(code) ? code : undefined;
}

/** Validates credentials without the backend, so the result does not reveal whether an account exists. */
export function credentialProblems(
  messages: Messages,
  { email, password }: Credentials,
): Problems<'email' | 'password'> {
  return {
    ...(isEmail(email) ? {} : { email: messages.accounts.problems.email }),
    ...(password === '' ? { password: messages.accounts.problems.password } : {}),
  };
}

export function newAccountProblems(
  messages: Messages,
  account: NewAccount,
): Problems<'email' | 'password' | 'name'> {
  const password = passwordProblem(messages, account.password, account.email);
  const name = nameProblem(messages, account.name);
  return {
    ...(name ? { name } : {}),
    ...(isEmail(account.email) ? {} : { email: messages.accounts.problems.email }),
    ...(password ? { password } : {}),
  };
}

/** Returns what is wrong with a password: its length, or that it equals the e-mail address. */
export function passwordProblem(messages: Messages, password: string, email: string): string | undefined {
  if ([...password].length < LIMITS.password_min)
    return messages.accounts.problems.passwordShort(LIMITS.password_min);
  if (new TextEncoder().encode(password).length > MAX_PASSWORD_BYTES)
    return messages.accounts.problems.passwordLong;
  if (password.toLowerCase() === email.toLowerCase()) return messages.accounts.problems.passwordIsEmail;
  return undefined;
}

export function nameProblem(messages: Messages, name: string): string | undefined {
  const length = [...name].length;
  return length < 1 || length > LIMITS.display_name || /\p{Cc}/u.test(name)
    ? messages.accounts.problems.name(LIMITS.display_name)
    : undefined;
}

/** Checks the form of an address. Only a mail can show whether it exists. */
export function isEmail(email: string): boolean {
  return email.length <= MAX_EMAIL_LENGTH && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email);
}
