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
