import type { Json } from '../domain/database.types.ts';
import type { Role } from '../domain/permissions.ts';
import type { Messages } from '../i18n/messages.ts';
import { sentenceOf } from '../i18n/refusals.ts';
import { fieldText } from './forms.ts';
import { type InviteLink, invite } from './invites.ts';
import { type BackendClient, dataOf, runCommand } from './result.ts';
import { type IdentityFields, readIdentity, saveIdentity } from './site-identity.ts';

/* What the WordPress site of the newsroom brings over: an owner makes a code, the plugin sends with it, and an owner
   accepts or declines. Nothing changes before. */

/** A person of the WordPress site. */
type TransferredPerson = { email: string; name: string; role: Role };

/** Content of a transfer. Name, colour, logo and menu are missing where WordPress has none. */
export type TransferContent = {
  name?: string;
  accent?: string;
  /** PNG or SVG in base64. */
  logo?: string;
  menu?: { label: string; url: string }[];
  people: TransferredPerson[];
};

/** A code that may still be used, or what was sent with it. */
export type Transfer = { expires_at: string; received_at: string | null; content: TransferContent | null };

/** Returns the transfer, for owners; null without one. */
export async function readTransfer(backend: BackendClient): Promise<Transfer | null> {
  // The database validates the content.
  return (await dataOf(backend.rpc('read_wordpress_transfer'))) as Transfer | null;
}

/** Lets WordPress send one transfer within an hour. @param code_hash SHA-256 of the code in hexadecimal */
export async function offerTransfer(backend: BackendClient, code_hash: string): Promise<void> {
  await runCommand(backend, 'offer_wordpress_transfer', { code_hash });
}

/**
 * Stores what WordPress sends, until an owner decides.
 * @returns the number of people
 * @throws Refused `gone` for a wrong, used or expired code; `invalid`
 */
export async function sendTransfer(backend: BackendClient, code: string, content: Json): Promise<number> {
  const sent = await dataOf(backend.rpc('send_wordpress_transfer', { code, content }));
  return (sent as { people: number }).people;
}

/** Deletes the transfer. */
export async function closeTransfer(backend: BackendClient): Promise<void> {
  await runCommand(backend, 'close_wordpress_transfer', {});
}

/** What became of a person whom an owner accepted. */
export type TransferResult = { name: string; email: string } & (
  | { outcome: 'invited' }
  | { outcome: 'link'; link: InviteLink }
  | { outcome: 'refused'; sentence: string }
);

/** Name of the form's field for the choice of one person. */
export const personField = (email: string) => `person-${email}`;

/**
 * Applies the choices of an owner: invites people, and saves the identity of the site. The transfer remains while an invitation
 * may still succeed later.
 * @param fields of the identity that the owner chose
 * @throws Refused if they cannot be saved
 */
export async function acceptTransfer(
  messages: Messages,
  backend: BackendClient,
  form: FormData,
  { people }: TransferContent,
  fields: IdentityFields,
): Promise<{ results: TransferResult[]; isDone: boolean }> {
  if (Object.keys(fields).length > 0)
    await saveIdentity(backend, fields, (await readIdentity(backend)).version);
  const results: TransferResult[] = [];
  let isDone = true;
  for (const person of people.filter(({ email }) => form.has(personField(email)))) {
    const { result, mayRetry } = await inviteTransferred(messages, backend, person, form);
    results.push(result);
    if (mayRetry) isDone = false;
  }
  if (isDone) await closeTransfer(backend);
  return { results, isDone };
}

/** Invites one person. `mayRetry`: it failed for a reason that passes. */
async function inviteTransferred(
  messages: Messages,
  backend: BackendClient,
  { email, name, role }: TransferredPerson,
  form: FormData,
): Promise<{ result: TransferResult; mayRetry: boolean }> {
  const content = new FormData();
  const fields = { email, name, role, coverage: fieldText(form, 'coverage'), days: '', by: 'mail' };
  for (const [field, value] of Object.entries(fields)) content.set(field, value);
  const sent = await invite(messages, backend, content);
  if ('mailed' in sent) return { result: { name, email, outcome: 'invited' }, mayRetry: false };
  if ('link' in sent) return { result: { name, email, outcome: 'link', link: sent.link }, mayRetry: false };
  const sentence = Object.values(sent.problems)[0] ?? sentenceOf(sent.refusal, messages);
  const mayRetry = ['rate_limited', 'unavailable', 'internal'].includes(sent.refusal.code);
  return { result: { name, email, outcome: 'refused', sentence }, mayRetry };
}
