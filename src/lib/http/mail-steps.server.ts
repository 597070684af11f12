import type { APIContext } from 'astro';
import {
  mailConfirmation,
  mailFollow,
  mailRecovery,
  mailSignIn,
  verifyToken,
} from '../data/accounts.server.ts';
import { isEmail, readEmail, readMailCode } from '../data/credentials.ts';
import { readRequestedFollow } from '../data/follows.ts';
import type { Session } from '../data/session.server.ts';
import { CODE_PAGE, codePath, isMailFlow, MAIL_INTERVAL_S, type MailFlow } from '../domain/mail-links.ts';
import { RETENTION } from '../domain/retention.ts';
import { afterSignIn, CHOOSE_PASSWORD } from '../domain/return-path.ts';
import { accounts } from '../i18n/accounts.ts';
import { type Refusal, refusal } from '../i18n/refusals.ts';
import { beginChosen } from './follow-forms.server.ts';

/** The last mail that this browser requested. */
export type Mailed = {
  way: MailFlow;
  email: string;
  /** Milliseconds since 1970. */
  at: number;
};

type Place = Pick<APIContext, 'cookies' | 'url'>;

const COOKIE = 'stoppress-mailed';
/** Only this page reads the cookie. It keeps the address out of URLs. */
const PATH = CODE_PAGE;
/** As long as a mailed code is valid. */
const REMEMBERED_S = RETENTION.linkMinutes * 60;

/** Remembers in a cookie that a mail was sent, so that a reload does not send another one. */
export function noteMailed({ cookies, url }: Place, way: MailFlow, email: string): void {
  const mailed: Mailed = { way, email, at: Date.now() };
  cookies.set(COOKIE, JSON.stringify(mailed), {
    path: PATH,
    httpOnly: true,
    sameSite: 'lax',
    secure: url.protocol === 'https:',
    maxAge: REMEMBERED_S,
  });
}

/** The last mail of a flow; null when there is none, or the cookie is malformed. */
export function lastMailed({ cookies }: Place, way: MailFlow): Mailed | null {
  const kept = cookies.get(COOKIE);
  if (!kept) return null;
  try {
    const mailed = kept.json() as Partial<Record<keyof Mailed, unknown>>;
    return isMailed(mailed) && mailed.way === way ? mailed : null;
  } catch {
    return null;
  }
}

function isMailed(value: Partial<Record<keyof Mailed, unknown>>): value is Mailed {
  const { way, email, at } = value;
  return (
    isMailFlow(way) &&
    typeof email === 'string' &&
    isEmail(email) &&
    typeof at === 'number' &&
    at <= Date.now()
  );
}

/** Called when the code was used. */
export function forgetMailed({ cookies }: Place): void {
  cookies.delete(COOKIE, { path: PATH });
}

/** Whole seconds until another mail may be requested; 0 when it may be now. */
export function pauseLeft({ at }: Pick<Mailed, 'at'>, now = Date.now()): number {
  return Math.max(0, Math.ceil((at - now) / 1000 + MAIL_INTERVAL_S));
}

/** What the page shows: the form for an address, or the one for the mailed code. */
export type MailStep = {
  at: 'address' | 'code';
  email: string;
  /** When the mail was sent, in milliseconds since 1970, if this browser knows it. */
  sentAt?: number;
  refused?: Refusal;
};

type Where = { way: MailFlow; next: string | null };
type Backend = Session['backend'];

/** For each flow: the function that sends the mail, and the type of its code. */
const WAYS = {
  'sign-in': { ask: mailSignIn, type: 'email' },
  'sign-up': { ask: mailConfirmation, type: 'email' },
  recovery: { ask: mailRecovery, type: 'recovery' },
  follow: { ask: mailFollow, type: 'email' },
} as const;

/** The first step of a visit: the code when a mail was just sent, else the address. */
export function mailStep(place: Place, { way }: Pick<Where, 'way'>): MailStep {
  const mailed = lastMailed(place, way);
  return mailed ? { at: 'code', email: mailed.email, sentAt: mailed.at } : { at: 'address', email: '' };
}

/**
 * Handles a form of the page by the name of its button: `code` uses the typed code, `again` sends another mail, and
 * anything else the first one.
 * @returns the path to redirect to, or the step to show with the reason of the refusal
 */
export async function takeMailStep(
  place: Place,
  form: FormData,
  where: Where,
  backend: Backend,
): Promise<string | MailStep> {
  const act = form.get('act');
  const email = readEmail(form);
  if (!isEmail(email)) {
    const refused = refusal('invalid', { field: 'email', sentence: accounts.problems.email });
    return { at: 'address', email, refused };
  }
  const { sentAt, ...last } = mailStep(place, where);
  const before = last.email === email ? sentAt : undefined;
  const stay = (refused: Refusal): MailStep => {
    const at = act === 'code' || act === 'again' ? 'code' : 'address';
    return { at, email, sentAt: before, refused };
  };

  if (act === 'code') {
    const code = readMailCode(form);
    if (!code) return stay(refusal('invalid', { field: 'code', sentence: accounts.problems.code }));
    const used = await redeemCode(backend, { email, code }, where);
    if (typeof used !== 'string') return stay(used);
    forgetMailed(place);
    return used;
  }
  const wait = before === undefined ? 0 : pauseLeft({ at: before });
  if (wait > 0) {
    const sentence = accounts.problems.mailSoon(wait);
    // A person who went back and sent the address again needs the form for the code that is on its way.
    return act === 'again'
      ? stay(refusal('rate_limited', { retryAfter: wait, sentence }))
      : codePath(where.way, where.next);
  }
  const refused = await WAYS[where.way].ask(backend, email, where.next);
  if (refused) return stay(refused);
  noteMailed(place, where.way, email);
  return codePath(where.way, where.next);
}

async function redeemCode(
  backend: Backend,
  { email, code }: { email: string; code: string },
  { way, next }: Where,
): Promise<string | Refusal> {
  const outcome = await verifyToken(backend, { type: WAYS[way].type, email, token: code });
  // Only a change of address needs two codes.
  if (outcome === 'half') return refusal('internal');
  if ('refusal' in outcome) return outcome.refusal;
  const chosen = way === 'follow' ? readRequestedFollow(next) : null;
  if (chosen) return beginChosen(backend, chosen);
  return way === 'recovery' ? CHOOSE_PASSWORD : (next ?? afterSignIn(outcome.person.role));
}
