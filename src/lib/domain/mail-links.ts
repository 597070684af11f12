import { pathWith } from './paths.ts';
import { CHOOSE_PASSWORD, mailedNextPath } from './return-path.ts';

/** Action of a mailed link. It selects the text of the page and its button. */
type MailedLinkKind = 'email' | 'invite' | 'recovery' | 'email_change';

/** Parameters of a mailed link, from its URL or from the form of its page. */
export type MailedLink = {
  type: MailedType;
  kind: MailedLinkKind;
  tokenHash: string;
  /** Path of this site to continue to. */
  next: string | null;
};

/** Link types of GoTrue. `signup` and `magiclink` are older names of `email`. */
const LINK_KINDS = {
  email: 'email',
  signup: 'email',
  magiclink: 'email',
  invite: 'invite',
  recovery: 'recovery',
  email_change: 'email_change',
} as const satisfies Record<string, MailedLinkKind>;

export type MailedType = keyof typeof LINK_KINDS;

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
  return { type, kind: LINK_KINDS[type], tokenHash, next: mailedNextPath(get('next'), site) };
}

function isMailedType(value: unknown): value is MailedType {
  return typeof value === 'string' && Object.hasOwn(LINK_KINDS, value);
}

/** Flows that send a mail with a link and a code. */
const MAIL_FLOWS = ['sign-in', 'sign-up', 'recovery'] as const;
export type MailFlow = (typeof MAIL_FLOWS)[number];

export function isMailFlow(value: unknown): value is MailFlow {
  return MAIL_FLOWS.some((flow) => flow === value);
}

const START_PAGES = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  recovery: CHOOSE_PASSWORD,
};

/** Returns the page where a flow starts, which also offers another address. */
export function flowStartPath(flow: MailFlow, next: string | null): string {
  return pathWith(START_PAGES[flow], { next });
}

/** Page that sends the mail and accepts its code. */
export const CODE_PAGE = '/auth/code';

export function codePath(flow: MailFlow, next: string | null = null): string {
  return pathWith(CODE_PAGE, { for: flow, next });
}

/**
 * Minimum seconds between two mails of a kind to one account: `max_frequency` of config.toml, which is GoTrue's
 * default.
 */
export const MAIL_INTERVAL_S = 60;
