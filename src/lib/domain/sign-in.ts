import { pathWith } from './paths.ts';
import { hasDesk, type Role } from './permissions.ts';

/** Path used when no better one is known. */
export const HOME = '/';
/** Page on which a person chooses a password after following a recovery link. */
export const CHOOSE_PASSWORD = '/reset-password';

/**
 * Validates a path to continue to, from untrusted input. Returns null for anything that a browser could read as
 * another site (`//host`, a backslash, a scheme).
 */
export function safePath(value: unknown): string | null {
  if (typeof value !== 'string' || !value.startsWith('/') || /[\\\p{Cc}]/u.test(value)) return null;
  const here = 'http://here.invalid';
  const url = URL.parse(value, here);
  if (url?.origin !== here || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}

/**
 * Like safePath, for the link of a mail, which may be an absolute URL of this site. The front page counts as null:
 * the backend inserts it when no path was given.
 * @param site URL of this site
 */
export function mailedNextPath(value: unknown, site: string): string | null {
  const { origin } = new URL(site);
  const url = typeof value === 'string' && !value.startsWith('/') ? URL.parse(value) : null;
  const path = safePath(url?.origin === origin ? url.href.slice(origin.length) : value);
  return path === HOME ? null : path;
}

/** Path of the sign-in page that leads back to the current page. */
export function signInPath(from: URL): string {
  return pathWith('/sign-in', { next: from.pathname + from.search });
}

/** Path after signing in, if the person was not on the way to another page. */
export function afterSignIn(role: Role): string {
  return hasDesk(role) ? '/desk' : HOME;
}

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

/**
 * Cookie of browsers with a session. It has no content and scripts can read it, so that a cached page can show the
 * account link. It grants nothing: the session is in a cookie of its own.
 */
export const SIGNED_IN_COOKIE = 'signed-in';

/**
 * Inline script that marks the page of a signed-in person. Styles then show the account link in the header instead of
 * the sign-in link in the footer. It runs while the page is parsed, so nothing moves afterwards. The content security
 * policy allows it by its hash (astro.config.mjs).
 */
export const SIGNED_IN_SCRIPT = `document.cookie.includes("${SIGNED_IN_COOKIE}=")&&(document.documentElement.dataset.signedIn="")`;
