import type { APIContext } from 'astro';
import { mailConfirmation, mailFollow, mailRecovery, mailSignIn, redeem } from '../data/accounts.server.ts';
import { isEmail, readCode, readEmail } from '../data/credentials.ts';
import { readChosen } from '../data/follows.ts';
import type { Session } from '../data/session.server.ts';
import { CODE_PAGE, codePath, isMailFlow, MAIL_INTERVAL_S, type MailFlow } from '../domain/mail-links.ts';
import { RETENTION } from '../domain/retention.ts';
import { afterSignIn, CHOOSE_PASSWORD } from '../domain/return-path.ts';
import { accounts } from '../i18n/accounts.ts';
import { type Refusal, refusal } from '../i18n/refusals.ts';
import { beginChosen } from './follow-forms.server.ts';

/** Whom this browser last had a mail sent to, and for what. */
export type Mailed = {
  way: MailFlow;
  email: string;
  /** Milliseconds since 1970. */
  at: number;
};

type Place = Pick<APIContext, 'cookies' | 'url'>;

const COOKIE = 'stoppress-mailed';
/** The one page that reads it: an address is nothing for a URL, and no other page has a use for it. */
const PATH = CODE_PAGE;
/** As long as what was mailed is good for. */
const REMEMBERED_S = RETENTION.linkMinutes * 60;

/** Remembers in the browser that a mail has been sent, so that a reload sends none. */
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

/** What was mailed last; null when it was nothing, something for another way in, or what we never wrote. */
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

/** Once the code is used there is nothing to wait for. */
export function forgetMailed({ cookies }: Place): void {
  cookies.delete(COOKIE, { path: PATH });
}

/** Whole seconds until another mail may be asked for; 0 when it may be now. */
export function pauseLeft({ at }: Pick<Mailed, 'at'>, now = Date.now()): number {
  return Math.max(0, Math.ceil((at - now) / 1000 + MAIL_INTERVAL_S));
}

/** What the page of mailed codes shows: the form for an address, or the one for the code that went there. */
export type MailStep = {
  at: 'address' | 'code';
  email: string;
  /** When the mail went, in milliseconds since 1970, where this browser knows. */
  sentAt?: number;
  refused?: Refusal;
};

type Where = { way: MailFlow; next: string | null };
type Backend = Session['backend'];

/** How each way in asks for its mail, and what the code is then good for. */
const WAYS = {
  'sign-in': { ask: mailSignIn, type: 'email' },
  'sign-up': { ask: mailConfirmation, type: 'email' },
  recovery: { ask: mailRecovery, type: 'recovery' },
  follow: { ask: mailFollow, type: 'email' },
} as const;

/** Where somebody stands who comes to the page: at the code, when a mail has just been sent. */
export function mailStep(place: Place, { way }: Pick<Where, 'way'>): MailStep {
  const mailed = lastMailed(place, way);
  return mailed ? { at: 'code', email: mailed.email, sentAt: mailed.at } : { at: 'address', email: '' };
}

/**
 * Does what a form of the page asks, by the name of its button: `code` uses the code that was typed, `again` sends
 * another mail, and anything else the first one.
 * @returns the path to go on to, or what to show with the reason why nothing was done
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
    const code = readCode(form);
    if (!code) return stay(refusal('invalid', { field: 'code', sentence: accounts.problems.code }));
    const used = await redeemCode(backend, { email, code }, where);
    if (typeof used !== 'string') return stay(used);
    forgetMailed(place);
    return used;
  }
  const wait = before === undefined ? 0 : pauseLeft({ at: before });
  if (wait > 0) {
    const sentence = accounts.problems.mailSoon(wait);
    // Somebody who went back and asked anew has a mail under way: the form for its code is what they need.
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
  const outcome = await redeem(backend, { type: WAYS[way].type, email, token: code });
  // Only a change of address takes two codes.
  if (outcome === 'half') return refusal('internal');
  if ('refusal' in outcome) return outcome.refusal;
  const chosen = way === 'follow' ? readChosen(next) : null;
  if (chosen) return beginChosen(backend, chosen);
  return way === 'recovery' ? CHOOSE_PASSWORD : (next ?? afterSignIn(outcome.person.role));
}
