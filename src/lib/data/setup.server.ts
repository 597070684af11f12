import { createHash, randomBytes } from 'node:crypto';
import { timeZoneFrom } from '../domain/time.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import {
  authRefusal,
  type NewAccount,
  newAccountProblems,
  readNewAccount,
  signIn,
} from './accounts.server.ts';
import { adminClient } from './admin-client.server.ts';
import { fieldText, type Problems, type RejectedForm, rejectForm } from './forms.ts';
import { type BackendClient, dataOf, runCommand } from './result.ts';
import { sessionOf } from './session.server.ts';
import type { SitePlace } from './site.ts';

/** Crockford's Base32 alphabet: no two characters look alike. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 16 characters of five bits each: 80 bits, short enough to type. */
const CODE_LENGTH = 16;

/** Creates the characters of a one-time code. */
export function createSetupCode(): string {
  return [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Formats a code for display: `7KQM-4TZP-0W3B-XN8D`. */
export function formatSetupCode(letters: string): string {
  return (letters.match(/.{1,4}/g) ?? []).join('-');
}

/** Reads a typed code, with or without spaces and dashes; null if it has the wrong form. */
export function readSetupCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  const isCode = letters.length === CODE_LENGTH && [...letters].every((letter) => ALPHABET.includes(letter));
  return isCode ? letters : null;
}

/** Returns the SHA-256 hash of a code in hex, which is all that the database stores. */
export function codeHash(letters: string): string {
  return createHash('sha256').update(letters).digest('hex');
}

/**
 * Creates a setup code if the newsroom has no owner. Earlier codes become invalid.
 * @returns the formatted code, or null if there is an owner
 * @throws Refused if the backend does not answer
 */
export async function offerSetup(): Promise<string | null> {
  const code = createSetupCode();
  const isOpen = await dataOf(adminClient().rpc('offer_setup', { code_hash: codeHash(code) }));
  return isOpen ? formatSetupCode(code) : null;
}

/**
 * Whether the newsroom has no owner yet.
 * @throws Refused if the backend does not answer
 */
export async function isSetupOpen(): Promise<boolean> {
  return dataOf(adminClient().rpc('is_setup_open'));
}

/** The newsroom as the setup form describes it. */
type NewSite = { site_name: string } & SitePlace;

export function readNewSite(form: FormData): NewSite {
  return {
    site_name: fieldText(form, 'site_name').trim(),
    time_zone: timeZoneFrom(fieldText(form, 'time_zone')),
    language: fieldText(form, 'language'),
  };
}

/**
 * Saves the settings of the site and creates the first owner with the setup code: the signed-in person, or a new
 * account, which is then signed in. A wrong code or invalid value changes nothing; the settings stay if the account is
 * refused afterwards. If the account does not become the owner, it is deleted again.
 */
export async function completeSetup(
  messages: Messages,
  form: FormData,
  locals: App.Locals,
): Promise<'owner' | RejectedForm> {
  const input = { ...readNewAccount(form), code: readSetupCode(fieldText(form, 'code')) };
  const site = readNewSite(form);
  try {
    const { person, backend } = sessionOf(locals);
    const problems: Problems = {
      ...(input.code ? {} : { code: messages.setup.problems.code }),
      ...(site.site_name ? {} : { site_name: messages.setup.problems.siteName }),
      ...(person ? {} : newAccountProblems(messages, input)),
    };
    if (!input.code || Object.keys(problems).length > 0) return { refusal: refusal('invalid'), problems };
    const hash = codeHash(input.code);
    if (!(await dataOf(adminClient().rpc('is_setup_open', { code_hash: hash })))) {
      throw new Refused('forbidden', { field: 'code', message: ({ setup }) => setup.problems.code });
    }
    await saveNewSite(site);
    if (person) await makeOwner(hash, person.id);
    else await createOwner(hash, input, backend);
    return 'owner';
  } catch (error) {
    return rejectForm(refusalOrThrow(error), messages, { name: 'site_name' });
  }
}

/** Saved before there is an owner: with an owner, this page is closed, and a refused value could not be corrected. */
async function saveNewSite({ site_name: name, ...place }: NewSite): Promise<void> {
  const content = { name, ...place, setup_checklist: true };
  await runCommand(adminClient(), 'save_site', { content });
}

async function makeOwner(hash: string, personId: string): Promise<void> {
  await dataOf(adminClient().rpc('create_first_owner', { code_hash: hash, person_id: personId }));
}

/**
 * Creates an account, makes it the owner and signs it in.
 * @param backend the visitor's client
 */
async function createOwner(hash: string, account: NewAccount, backend: BackendClient): Promise<void> {
  const { email, password, name } = account;
  const { auth } = adminClient();
  const created = await auth.admin.createUser({
    email,
    password,
    email_confirm: true,
    user_metadata: { display_name: name },
  });
  if (created.error) {
    const reason = authRefusal(created.error, backend);
    throw new Refused(
      created.error.code === 'email_exists'
        ? { ...reason, message: ({ setup }) => setup.problems.emailInUse }
        : reason,
    );
  }
  try {
    await makeOwner(hash, created.data.user.id);
  } catch (error) {
    await auth.admin.deleteUser(created.data.user.id);
    throw error;
  }
  const outcome = await signIn(backend, account);
  if ('refusal' in outcome) {
    throw new Refused({
      ...outcome.refusal,
      field: undefined,
      message: ({ setup }) => setup.problems.signInYourself,
    });
  }
}
