import type { APIContext } from 'astro';
import {
  authRefusal,
  choosePassword,
  isEmail,
  passwordProblem,
  submittedEmail,
} from '../data/accounts.server.ts';
import { adminClient } from '../data/admin-client.server.ts';
import {
  type FilingChannel,
  type FilingCode,
  makeFilingCode,
  type OwnFiling,
  readOwnFiling,
  unlinkFilingSender,
} from '../data/filing.ts';
import {
  type AlertChannels,
  type AlertDevice,
  adoptAddressFollows,
  type Follow,
  readAddressFollows,
  readAlertChannels,
  readMyAlertDevices,
  readMyFollows,
  removeAlertDevice,
  saveFollow,
  targetArgument,
} from '../data/follows.ts';
import { fieldText, type RejectedForm, rejectForm, rejectProblems } from '../data/forms.ts';
import { type BackendClient, dataOf, runCommand } from '../data/result.ts';
import { deleteSessionCookie, sessionOf, temporaryClient } from '../data/session.server.ts';
import { readOwnTips } from '../data/tips.ts';
import { isSlug } from '../domain/coverages.ts';
import type { FollowTarget, FollowWithoutAccount } from '../domain/follows.ts';
import { pathWith } from '../domain/paths.ts';
import type { Person } from '../domain/permissions.ts';
import type { OwnTip } from '../domain/tips.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, Refused, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { dropAllPush, readFollowForm } from './follow-forms.server.ts';

/** An account as the auth service knows it. */
type Account = {
  id: string;
  email: string;
  /** A new address that is not confirmed yet. */
  newEmail: string | undefined;
};

export type OpenAccount = Account & {
  person: Person;
  devices: Awaited<ReturnType<typeof readDevices>>;
  follows: Follow[];
  /** Follows by the account's address that belong to no account. */
  addressFollows: FollowWithoutAccount[];
  alertDevices: AlertDevice[];
  means: AlertChannels;
  tips: OwnTip[];
  /** The person's chats; null for people who may not write updates. */
  filing: OwnFiling | null;
};

/** Reads the signed-in account with all data of its page, or returns the refusal (`signed_out`, `unavailable`). */
export async function openAccount(locals: App.Locals): Promise<OpenAccount | Refusal> {
  try {
    const { person, backend } = sessionOf(locals);
    if (!person) return refusal('signed_out');
    const [account, devices, follows, addressFollows, alertDevices, means, tips, filing] = await Promise.all([
      readAccount(backend),
      readDevices(backend),
      readMyFollows(backend),
      readAddressFollows(backend),
      readMyAlertDevices(backend),
      readAlertChannels(backend),
      readOwnTips(backend),
      readOwnFiling(backend),
    ]);
    return { person, ...account, devices, follows, addressFollows, alertDevices, means, tips, filing };
  } catch (error) {
    return refusalOrThrow(error);
  }
}

/** @throws Refused (`signed_out` when the session has ended) */
async function readAccount(backend: BackendClient): Promise<Account> {
  const { data, error } = await backend.auth.getUser();
  if (error) throw new Refused(authRefusal(error, backend));
  return { id: data.user.id, email: data.user.email ?? '', newEmail: data.user.new_email || undefined };
}

/** The devices on which the caller is signed in, the current one first. */
const readDevices = (backend: BackendClient) => dataOf(backend.rpc('my_sessions'));

/** The forms of the account page. */
const ACCOUNT_FORMS = [
  'name',
  'email',
  'password',
  'password_mail',
  'follow',
  'address_follows',
  'alert_device',
  'device',
  'filing_code',
  'filing_sender',
  'everywhere',
] as const;
export type AccountForm = (typeof ACCOUNT_FORMS)[number];

const KINDS = ['coverage', 'topic'] as const satisfies FollowTarget['kind'][];

/** Results of a form; the messages have a sentence for each. */
type Done = keyof Messages['account']['done'];

/** Result of a form: a path to redirect to, a code that is shown once, or why the form was rejected. */
type AccountFormResponse = AccountFormSuccess | { filingCode: FilingCode } | RejectedForm;
type AccountFormSuccess = { goTo: string };

export const isAccountForm = (name: string): name is AccountForm =>
  ACCOUNT_FORMS.some((form) => form === name);

/** Redirects to the account page, which shows the result and the coverage or topic that it concerns. */
export const redirectWith = (done: Done, what?: FollowTarget): { goTo: string } => ({
  goTo: pathWith('/account', { done, ...(what && { [what.kind]: what.slug }) }),
});

/** The coverage or topic that was just unfollowed, so that the page can offer to follow it again. */
export function unfollowedBy({ searchParams }: URL): FollowTarget | undefined {
  if (searchParams.get('done') !== 'unfollowed') return;
  return KINDS.map((kind) => ({ kind, slug: searchParams.get(kind) ?? '' })).find(({ slug }) => isSlug(slug));
}

/** The message of a result in the address. Unknown values give undefined, so an address cannot inject text. */
export function accountMessage(messages: Messages, url: URL): string | undefined {
  const done = url.searchParams.get('done');
  return Object.entries(messages.account.done).find(([name]) => name === done)?.[1];
}

/**
 * Verifies the password of an account by signing in, in a session that ends at once. Wrong passwords therefore count as
 * failed sign-ins, so a person at an open browser cannot guess.
 * @returns null when the password is right, else the refusal for the field `current_password`
 */
async function refuseUnlessPassword(
  request: Pick<APIContext, 'clientAddress' | 'request'>,
  { id, email }: Pick<Account, 'id' | 'email'>,
  password: string,
): Promise<Refusal | null> {
  const wrong = refusal('invalid', {
    field: 'current_password',
    message: ({ account }) => account.password.wrong,
  });
  if (password === '' || email === '') return wrong;
  const client = temporaryClient(request);
  const { data, error } = await client.auth.signInWithPassword({ email, password });
  if (error) return error.code === 'invalid_credentials' ? wrong : authRefusal(error, client);
  await client.auth.signOut({ scope: 'local' });
  return data.user.id === id ? null : wrong;
}

type AccountRequest = Pick<APIContext, 'clientAddress' | 'request' | 'cookies' | 'locals'>;
type FormHandler = (
  backend: BackendClient,
  form: FormData,
  request: AccountRequest,
) => Promise<AccountFormResponse>;

/** The page that confirms that every device is signed out. */
const SIGNED_OUT = '/account/signed-out';

/** Handles a form of the account page. */
export async function handleAccountForm(
  form: FormData,
  request: AccountRequest,
): Promise<AccountFormResponse> {
  const name = fieldText(form, 'form');
  if (!isAccountForm(name)) return rejectForm(refusal('invalid'), request.locals.messages);
  return withSession(request, (backend) => HANDLERS[name](backend, form, request));
}

/** Runs `act` with the session's client. A refusal, or a missing session, becomes the response to the form. */
async function withSession<Success extends AccountFormResponse>(
  { locals }: { locals: App.Locals },
  act: (backend: BackendClient) => Promise<Success | RejectedForm>,
): Promise<Success | RejectedForm> {
  const { messages } = locals;
  try {
    const { person, backend } = sessionOf(locals);
    return person
      ? await act(backend)
      : rejectForm(refusal('signed_out', { message: ({ account }) => account.signedOut }), messages);
  } catch (error) {
    return rejectForm(refusalOrThrow(error), messages);
  }
}

const HANDLERS: Record<AccountForm, FormHandler> = {
  async name(backend, form) {
    const content = {
      display_name: fieldText(form, 'display_name'),
      ...(form.has('bio') ? { bio: fieldText(form, 'bio') } : {}),
    };
    await runCommand(backend, 'save_me', { content });
    return redirectWith('name');
  },

  async email(backend, form, request) {
    const { messages } = request.locals;
    const newEmail = submittedEmail(form);
    const account = await readAccount(backend);
    const wrong = rejectProblems({ email: emailProblem(messages, newEmail, account.email) });
    if (wrong) return wrong;
    const refused = await refuseUnlessPassword(request, account, fieldText(form, 'current_password'));
    if (refused) return rejectForm(refused, messages);
    const { data, error } = await backend.auth.updateUser({ email: newEmail });
    if (error) return rejectForm(authRefusal(error, backend), messages);
    return redirectWith(data.user.email === newEmail.toLowerCase() ? 'email' : 'mailed');
  },

  async password(backend, form, request) {
    const { messages } = request.locals;
    const newPassword = fieldText(form, 'new_password');
    const current = fieldText(form, 'current_password');
    const account = await readAccount(backend);
    const same = newPassword === current ? messages.account.password.same : undefined;
    const wrong = rejectProblems({
      new_password: passwordProblem(messages, newPassword, account.email) ?? same,
    });
    if (wrong) return wrong;
    const refused = await refuseUnlessPassword(request, account, current);
    if (refused) return rejectForm(refused, messages);
    const notChanged = await choosePassword(backend, newPassword, current);
    if (notChanged) return rejectForm(notChanged, messages, { password: 'new_password' });
    return redirectWith('password');
  },

  async password_mail(backend, _form, { locals: { messages } }) {
    const { email } = await readAccount(backend);
    const { error } = await backend.auth.resetPasswordForEmail(email);
    return error ? rejectForm(authRefusal(error, backend), messages) : redirectWith('password_mail');
  },

  async follow(backend, form) {
    const { kind, slug, wish } = readFollowForm(form);
    const goesOn = await saveFollow(backend, targetArgument({ kind, slug }), wish);
    return goesOn ? redirectWith('followed') : redirectWith('unfollowed', { kind, slug });
  },

  async address_follows(backend) {
    await adoptAddressFollows(backend);
    return redirectWith('adopted');
  },

  async alert_device(backend, form) {
    await removeAlertDevice(backend, fieldText(form, 'device'));
    return redirectWith('alert_device');
  },

  async device(backend, form) {
    await dataOf(backend.rpc('end_session', { device: fieldText(form, 'device') }));
    return redirectWith('device');
  },

  async filing_code(backend, form, { locals: { messages } }) {
    // The database refuses other channels.
    const channel = fieldText(form, 'channel') as FilingChannel;
    return { filingCode: await makeFilingCode(backend, channel, messages.language) };
  },

  async filing_sender(backend, form) {
    await unlinkFilingSender(backend, fieldText(form, 'sender'));
    return redirectWith('filing_sender');
  },

  async everywhere(backend, _form, request) {
    const { messages } = request.locals;
    await dropAllPush(backend);
    const { error } = await backend.auth.signOut({ scope: 'global' });
    if (error) return rejectForm(authRefusal(error, backend), messages);
    deleteSessionCookie(request);
    return { goTo: SIGNED_OUT };
  },
};

function emailProblem(messages: Messages, newEmail: string, email: string): string | undefined {
  if (!isEmail(newEmail)) return messages.accounts.problems.email;
  return newEmail.toLowerCase() === email.toLowerCase() ? messages.account.email.same : undefined;
}

/** The page that confirms the deletion of an account. */
const DELETED = '/account/deleted';

/**
 * Deletes the account of the session after verifying its password. Only the server may call the database function,
 * because an access token proves neither the password nor that its holder owns the account.
 */
export async function deleteAccount(
  form: FormData,
  visit: AccountRequest,
): Promise<AccountFormSuccess | RejectedForm> {
  return withSession<AccountFormSuccess>(visit, async (backend) => {
    // Checks that the session is still valid: the auth service answers only then.
    const account = await readAccount(backend);
    const refused = await refuseUnlessPassword(visit, account, fieldText(form, 'current_password'));
    if (refused) return rejectForm(refused, visit.locals.messages);
    await runCommand(adminClient(), 'delete_account', { person_id: account.id });
    deleteSessionCookie(visit);
    return { goTo: DELETED };
  });
}
