import { pathWith } from './paths.ts';
import { CHOOSE_PASSWORD, HOME, mailedPath } from './return-path.ts';

/** What the button under a mailed link does, by which its words are chosen. */
export type LinkKind = 'email' | 'invite' | 'recovery' | 'email_change';

/** The link of a mail, as its page is asked for or its form is sent. */
export type MailedLink = {
  type: MailedType;
  kind: LinkKind;
  tokenHash: string;
  /** Path of this site to go on to. */
  next: string | null;
};

/** GoTrue's types; two are older names of what `email` stands for. */
const KINDS = {
  email: 'email',
  signup: 'email',
  magiclink: 'email',
  invite: 'invite',
  recovery: 'recovery',
  email_change: 'email_change',
} as const satisfies Record<string, LinkKind>;

export type MailedType = keyof typeof KINDS;

/** Hexadecimal digits or base64url, here and of hosted projects, which may put a word in front. */
const TOKEN_HASH = /^[\w-]{20,200}$/;

/**
 * Reads the link of a mail; null when a part of it is missing, as when a mail program broke it in two.
 * @param get a parameter of the address, or a field of the form
 * @param site the address of this site
 */
export function readMailedLink(get: (name: string) => unknown, site: string): MailedLink | null {
  const [type, tokenHash] = [get('type'), get('token_hash')];
  if (!isMailedType(type) || typeof tokenHash !== 'string' || !TOKEN_HASH.test(tokenHash)) return null;
  return { type, kind: KINDS[type], tokenHash, next: mailedPath(get('next'), site) };
}

function isMailedType(value: unknown): value is MailedType {
  return typeof value === 'string' && Object.hasOwn(KINDS, value);
}

/** What a mail with a link and a code may have been asked for. */
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

/** Where somebody begins who wants such a mail, and comes back to for another address. */
export function beginningOf(way: MailWay, next: string | null): string {
  // What is to be followed is chosen on a page of its own.
  return way === 'follow' ? (next ?? HOME) : pathWith(BEGINNINGS[way], { next });
}

/** The page that sends such a mail and takes its code. */
export const CODE_PAGE = '/auth/code';

export function codePath(way: MailWay, next: string | null = null): string {
  return pathWith(CODE_PAGE, { for: way, next });
}

/** Between two mails of a kind to one account: `max_frequency` of config.toml, which is GoTrue's own default. */
export const BETWEEN_MAILS_S = 60;
