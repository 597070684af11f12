import type { APIContext } from 'astro';
import { KEEPING } from '../site/keeping.ts';
import { isEmail } from './credentials.ts';
import { BETWEEN_MAILS_S, CODE_PAGE, isMailWay, type MailWay } from './mail-ways.ts';

/** Whom this browser last had a mail sent to, and for what. */
export type Mailed = {
  way: MailWay;
  email: string;
  /** Milliseconds since 1970. */
  at: number;
};

type Place = Pick<APIContext, 'cookies' | 'url'>;

const COOKIE = 'stoppress-mailed';
/** The one page that reads it: an address is nothing for a URL, and no other page has a use for it. */
const PATH = CODE_PAGE;
/** As long as what was mailed is good for. */
const REMEMBERED_S = KEEPING.linkMinutes * 60;

/** Remembers in the browser that a mail has been sent, so that a reload sends none. */
export function noteMailed({ cookies, url }: Place, way: MailWay, email: string): void {
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
export function lastMailed({ cookies }: Place, way: MailWay): Mailed | null {
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
    isMailWay(way) &&
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
  return Math.max(0, Math.ceil((at - now) / 1000 + BETWEEN_MAILS_S));
}
