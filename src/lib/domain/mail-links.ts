import { pathWith } from './paths.ts';
import { CHOOSE_PASSWORD, HOME, mailedPath } from './return-path.ts';

/** Action of a mailed link. It selects the text of the page and its button. */
export type LinkKind = 'email' | 'invite' | 'recovery' | 'email_change';

/** Parameters of a mailed link, from its URL or from the form of its page. */
export type MailedLink = {
  type: MailedType;
  kind: LinkKind;
  tokenHash: string;
  /** Path of this site to continue to. */
  next: string | null;
};

/** Link types of GoTrue. `signup` and `magiclink` are older names of `email`. */
const KINDS = {
  email: 'email',
  signup: 'email',
  magiclink: 'email',
  invite: 'invite',
  recovery: 'recovery',
  email_change: 'email_change',
} as const satisfies Record<string, LinkKind>;

export type MailedType = keyof typeof KINDS;

/** Hexadecimal or base64url. Hosted projects may add a prefix such as `pkce_`. */
const TOKEN_HASH = /^[\w-]{20,200}$/;

/**
 * Reads the parameters of a mailed link; null if one is missing or invalid, for example because a mail program broke
 * the URL.
 * @param get returns a query parameter or a form field
 * @param site URL of this site
 */
export function readMailedLink(get: (name: string) => unknown, site: string): MailedLink | null {
  const [type, tokenHash] = [get('type'), get('token_hash')];
  if (!isMailedType(type) || typeof tokenHash !== 'string' || !TOKEN_HASH.test(tokenHash)) return null;
  return { type, kind: KINDS[type], tokenHash, next: mailedPath(get('next'), site) };
}

function isMailedType(value: unknown): value is MailedType {
  return typeof value === 'string' && Object.hasOwn(KINDS, value);
}

/** Flows that send a mail with a link and a code. */
const MAIL_WAYS = ['sign-in', 'sign-up', 'recovery', 'follow'] as const;
export type MailWay = (typeof MAIL_WAYS)[number];

export function isMailWay(value: unknown): value is MailWay {
  return MAIL_WAYS.some((way) => way === value);
}

const BEGINNINGS = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  recovery: CHOOSE_PASSWORD,
};

/** Returns the page where a flow starts, which also offers another address. */
export function beginningOf(way: MailWay, next: string | null): string {
  // A follow starts on the page of the coverage or topic.
  return way === 'follow' ? (next ?? HOME) : pathWith(BEGINNINGS[way], { next });
}

/** Page that sends the mail and accepts its code. */
export const CODE_PAGE = '/auth/code';

export function codePath(way: MailWay, next: string | null = null): string {
  return pathWith(CODE_PAGE, { for: way, next });
}

/**
 * Minimum seconds between two mails of a kind to one account: `max_frequency` of config.toml, which is GoTrue's
 * default.
 */
export const BETWEEN_MAILS_S = 60;
