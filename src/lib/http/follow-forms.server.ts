import type { APIContext } from 'astro';
import { readMailbox, submittedEmail } from '../data/accounts.server.ts';
import {
  type AlertChannels,
  type Follow,
  type FollowSettings,
  type FollowTargetInfo,
  findFollowTarget,
  readAlertChannels,
  readMyAlertDevices,
  readMyFollows,
  removeAlertDevice,
  requestMailFollow,
  saveFollow,
  targetArgument,
} from '../data/follows.ts';
import { fieldText, readForm } from '../data/forms.ts';
import { describeUserAgent } from '../data/people.ts';
import { readerClient } from '../data/reader-client.server.ts';
import { type BackendClient, dataOf } from '../data/result.ts';
import { sessionOf } from '../data/session.server.ts';
import { readSite, type Site } from '../data/site.ts';
import {
  type FollowTarget,
  followPath,
  isFollowScope,
  type PushSubscriptionContent,
  parseSubscription,
} from '../domain/follows.ts';
import { isUuid, pathWith } from '../domain/paths.ts';
import type { Person } from '../domain/permissions.ts';
import { messagesFor } from '../i18n/messages.server.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, type RefusalMessage, Refused, refusal, refusalOrThrow } from '../i18n/refusals.ts';

/** What a signed-in person sees on the page for following a coverage or topic. */
export type OpenFollow = Awaited<ReturnType<typeof openFollow>>;

const alertMeans = (): Promise<AlertChannels> => readAlertChannels(readerClient());

/** @throws Refused */
async function openFollow(backend: BackendClient, target: FollowTarget) {
  const [now, { email }, devices] = await Promise.all([
    followOf(backend, target),
    readMailbox(backend),
    readMyAlertDevices(backend),
  ]);
  // Ids of the devices that show alerts.
  return { now, email, devices: devices.map(({ id }) => id) };
}

const followOf = async (backend: BackendClient, { kind, slug }: FollowTarget): Promise<Follow | null> =>
  (await readMyFollows(backend)).find((one) => one.kind === kind && one.slug === slug) ?? null;

/** The choice in a submitted form. */
function readWish(form: FormData): FollowSettings {
  const scope = fieldText(form, 'scope');
  return { scope: isFollowScope(scope) ? scope : 'all', mail: form.has('mail'), push: form.has('push') };
}

/**
 * Handles a form of the page by the name of its button: `mail` mails a link that starts a follow without an account.
 * For a signed-in person `stop` ends the follow, and anything else saves it.
 * @returns the path to redirect to, or why it was refused
 */
async function handleFollowForm(
  form: FormData,
  target: FollowTarget,
  { locals }: { locals: App.Locals },
): Promise<string | Refusal> {
  try {
    const { person, backend } = sessionOf(locals);
    const act = fieldText(form, 'act');
    if (act === 'mail') {
      const { scope } = readWish(form);
      await requestMailFollow(backend, targetArgument(target), scope, submittedEmail(form));
      return pathWith(followPath(target), { done: 'mailed' });
    }
    if (!person) return refusal('signed_out', { message: ({ follow }) => follow.visitor.signedOut });
    const isStop = act === 'stop';
    const wish = { ...readWish(form), ...(isStop ? { mail: false, push: false } : {}) };
    if (!isStop) {
      const wrong = await problemOf(wish, backend);
      if (wrong) return refusal('invalid', { message: wrong });
    }
    await saveFollow(backend, targetArgument(target), wish);
    return pathWith(followPath(target), { done: isStop ? 'stopped' : 'saved' });
  } catch (error) {
    return refusalOrThrow(error);
  }
}

/** Refuses a choice without a delivery channel that works. */
async function problemOf(
  { mail, push }: FollowSettings,
  backend: BackendClient,
): Promise<RefusalMessage | undefined> {
  if (!mail && !push) return ({ follow }) => follow.how.neither;
  if (mail || (await readMyAlertDevices(backend)).length > 0) return undefined;
  return ({ follow }) => follow.how.noDevice;
}

/** A form about one follow. Without a delivery channel it ends the follow. */
type FollowForm = FollowTarget & { wish: FollowSettings };

/** @throws Refused `invalid` when the form is malformed */
export function readFollowForm(form: FormData): FollowForm {
  const kind = fieldText(form, 'kind');
  if (kind !== 'coverage' && kind !== 'topic') throw new Refused('invalid');
  return { kind, slug: fieldText(form, 'slug'), wish: readWish(form) };
}

/** The submitted follow, to be shown again; undefined when the form is malformed. */
export function typedFollow(form: FormData): Partial<Follow> | undefined {
  try {
    const { wish, ...target } = readFollowForm(form);
    return { ...target, ...wish };
  } catch {
    return undefined;
  }
}

type Done = keyof Messages['follow']['done'];

/** Data of the page, in the language of the coverage or topic. */
export type FollowPageData = {
  followed: FollowTargetInfo;
  site: Site;
  madeAt: Date;
  means: AlertChannels;
  person: Person | null;
  /** Null for a person who is signed out. */
  open: OpenFollow | null;
  /** Values of the form. */
  wish: FollowSettings;
  /** The submitted address. */
  email: string;
  refusal: Refusal | undefined;
  /** Result of the last form. */
  done: Done | undefined;
};

/** The coverage or topic does not exist, or the request is redirected. */
type NoFollowPage =
  | { missing: 'gone' | 'not_found'; site: Site; madeAt: Date }
  | { goTo: string; status: 301 | 303 };

type FollowRequest = Pick<APIContext, 'locals' | 'request' | 'url'>;

/** @throws Refused (`unavailable`) */
export async function openFollowPage(
  request: FollowRequest,
  requested: FollowTarget,
): Promise<FollowPageData | NoFollowPage> {
  const madeAt = new Date();
  const site = await readSite();
  request.locals.messages = messagesFor(site.language);
  const form = request.request.method === 'POST' ? await readForm(request.request) : undefined;
  let target = requested;
  let followed = await findFollowTarget(target, site);
  // A redirect would lose the form.
  if (form && typeof followed === 'object' && 'moved' in followed) {
    target = { ...target, slug: followed.moved };
    followed = await findFollowTarget(target, site);
  }
  if (typeof followed === 'string') return { missing: followed, site, madeAt };
  if ('moved' in followed) return { goTo: followPath({ ...target, slug: followed.moved }), status: 301 };
  request.locals.messages = messagesFor(followed.clock.language, site.language);

  const answer = form && (await handleFollowForm(form, target, request));
  if (typeof answer === 'string') return { goTo: answer, status: 303 };
  const { person, backend } = sessionOf(request.locals);
  const [means, open] = await Promise.all([alertMeans(), person ? openFollow(backend, target) : null]);
  const wish = form ? readWish(form) : settingsOf(open);
  const email = form ? submittedEmail(form) : '';
  return {
    followed,
    site,
    madeAt,
    means,
    person,
    open,
    wish,
    email,
    refusal: answer,
    done: doneOf(request.url),
  };
}

/** The current follow. */
const settingsOf = (open: OpenFollow | null): FollowSettings =>
  open?.now ?? { scope: 'all', mail: false, push: false };

const doneOf = ({ searchParams }: URL): Done | undefined =>
  DONE.find((name) => name === searchParams.get('done'));

const DONE: readonly Done[] = ['saved', 'stopped', 'mailed'];

/** A device's registration: its subscription, its owner and its former id. */
type DeviceRegistration = {
  person: string;
  subscription: PushSubscriptionContent;
  former?: string | undefined;
};

/** Parses a registration; undefined when it is malformed. */
export function parseRegistration(body: unknown): DeviceRegistration | undefined {
  const { person, former, subscription } = (body ?? {}) as Record<string, unknown>;
  const read = parseSubscription(subscription);
  if (!read || typeof person !== 'string') return undefined;
  return {
    person,
    subscription: read,
    former: typeof former === 'string' && isUuid(former) ? former : undefined,
  };
}

/** Name of the device that sent a request: browser and system. */
export function deviceName(request: Request): string {
  const { browser, system } = describeUserAgent(request.headers.get('user-agent') ?? '');
  return [browser, system].filter(Boolean).join(', ');
}

/** Saves the subscription of this device and removes its former one. @throws Refused */
export async function savePush(
  backend: BackendClient,
  { subscription, former }: DeviceRegistration,
  request: Request,
): Promise<{ id: string }> {
  const call = { idempotency_key: crypto.randomUUID(), subscription, device: deviceName(request) };
  const saved = (await dataOf(backend.rpc('save_push_subscription', call))) as { id: string };
  if (former && former !== saved.id) await removeAlertDevice(backend, former);
  return saved;
}

/** Removes all push subscriptions of a person, because signed-out devices may belong to anyone. @throws Refused */
export async function dropAllPush(backend: BackendClient): Promise<void> {
  for (const { id } of await readMyAlertDevices(backend)) await removeAlertDevice(backend, id);
}
