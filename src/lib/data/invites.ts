import { LIMITS } from '../domain/limits.ts';
import { isUuid, pathWith } from '../domain/paths.ts';
import type { Role } from '../domain/permissions.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { isEmail, nameProblem, submittedEmail } from './accounts.server.ts';
import { fieldText, type RejectedForm, rejectForm, rejectProblems } from './forms.ts';
import { ROLES, roleOf } from './people.ts';
import { type BackendClient, dataOf, functionData, runCommand } from './result.ts';

/* Invites, for owners, with the owner's permissions. The edge function that sends them holds the secret key. */

/** Roles that a person can be invited to. Readers need no invite. */
export const INVITED_ROLES: readonly Role[] = ROLES.filter((role) => role !== 'reader');

export type InviteForm = {
  name: string;
  email: string;
  role: Role | undefined;
  /** Only for contributors. */
  coverage: string;
  days: string;
};

/** Invite link that the owner passes on. It is shown once and stored nowhere. `why` is set if no mail could be sent. */
export type InviteLink = { name: string; href: string; why?: 'off' | 'failed' };
type SendResult = { mailed: true } | { link: InviteLink };
type InviteResult = SendResult | RejectedForm;

export function readInvite(form: FormData): InviteForm {
  return {
    name: fieldText(form, 'name').trim(),
    email: submittedEmail(form),
    role: roleOf(form),
    coverage: fieldText(form, 'coverage'),
    days: fieldText(form, 'days').trim(),
  };
}

/** Invites a person: by mail, or by a link if mail is unavailable or the owner prefers a link. */
export async function invite(
  messages: Messages,
  backend: BackendClient,
  form: FormData,
): Promise<InviteResult> {
  const { name, email, role, coverage, days } = readInvite(form);
  const wrong = rejectProblems({
    name: nameProblem(messages, name),
    email: isEmail(email) ? undefined : messages.accounts.problems.email,
    role: role && INVITED_ROLES.includes(role) ? undefined : messages.people.problems.role,
    days: role !== 'contributor' || /^[0-9]{0,9}$/.test(days) ? undefined : messages.invites.problems.days,
  });
  if (wrong) return wrong;
  const membership =
    role === 'contributor'
      ? { coverage_id: coverage, days: days === '' ? LIMITS.contributor_days : Number(days) }
      : {};
  const content = { email, name, role, ...membership };
  try {
    return await send(backend, name, { act: 'invite', id: crypto.randomUUID(), ...content }, form);
  } catch (error) {
    return rejectForm(refusalOrThrow(error), messages, { coverage_id: 'coverage' });
  }
}

async function send(backend: BackendClient, name: string, call: object, form: FormData): Promise<SendResult> {
  const by = fieldText(form, 'by') === 'link' ? 'link' : 'mail';
  const body = { ...call, by };
  const result = (await functionData(backend.functions.invoke('invite-person', { body })).catch(
    explainSendError,
  )) as { mailed: true } | { mailed: false; link: string; why?: 'off' | 'failed' };
  return result.mailed ? { mailed: true } : { link: { name, href: result.link, why: result.why } };
}

/** Replaces the message of a missing or failing function by one that helps an owner. */
function explainSendError(error: unknown): never {
  const reason = refusalOrThrow(error);
  throw new Refused(
    ['unavailable', 'internal'].includes(reason.code)
      ? refusal(reason.code, { message: ({ invites }) => invites.problems.sending })
      : reason,
  );
}

/** Number of invites on one page. */
const PAGE = 50;

/** Returns the newest invites, or those before a time. */
export async function readInvites(backend: BackendClient, before: string | null) {
  let query = backend
    .from('desk_invites')
    .select(
      'id, email, name, role, coverage, days, by_name, created_at, expires_at, accepted_at, revoked_at, state',
    )
    .order('created_at', { ascending: false })
    .order('id')
    .limit(PAGE + 1);
  if (before && !Number.isNaN(Date.parse(before))) query = query.lt('created_at', before);
  const rows = await dataOf(query);
  return { rows: rows.slice(0, PAGE).map(asInvite), more: rows.length > PAGE };
}

/** The generated types declare every column of a view as nullable. */
function asInvite(row: Record<string, unknown>) {
  return row as {
    id: string;
    email: string;
    name: string;
    role: Role;
    coverage: { slug: string; headline: string } | null;
    days: number | null;
    by_name: string;
    created_at: string;
    expires_at: string;
    accepted_at: string | null;
    revoked_at: string | null;
    state: keyof Messages['invites']['states'];
  };
}

/** Returns the number of pending invites on the first page. */
export async function countOpenInvites(backend: BackendClient): Promise<number> {
  const { rows } = await readInvites(backend, null);
  return rows.filter(({ state }) => state === 'pending').length;
}

/** Returns the newest coverages that a contributor can be invited to. */
export async function readInvitingCoverages(backend: BackendClient) {
  return dataOf(
    backend
      .from('coverages')
      .select('id, headline')
      .in('state', ['draft', 'scheduled', 'live', 'paused', 'ended'])
      .order('published_at', { ascending: false })
      .limit(100),
  );
}

/** Handles the forms of the list: sends an invite again, or revokes it. */
export async function changeInvite(
  messages: Messages,
  backend: BackendClient,
  form: FormData,
): Promise<
  | { done: keyof Messages['invites']['done']; invite: string }
  | { link: InviteLink }
  | (RejectedForm & { invite: string })
> {
  const id = fieldText(form, 'invite');
  try {
    if (!isUuid(id)) throw new Refused('not_found');
    if (fieldText(form, 'act') === 'revoke') {
      await runCommand(backend, 'revoke_invite', { invite_id: id });
      return { done: 'revoked', invite: id };
    }
    const { name } = asInvite(
      await dataOf(backend.from('desk_invites').select('name').eq('id', id).single()),
    );
    const result = await send(backend, name, { act: 'again', id }, form);
    return 'link' in result ? result : { done: 'mailed', invite: id };
  } catch (error) {
    return { ...rejectForm(refusalOrThrow(error), messages), invite: id };
  }
}

/** Path of the list of invites with a status message. */
export const invitesPath = (more: Record<string, string | null> = {}) =>
  pathWith('/desk/people/invites', more);
