import { pathWith } from './paths.ts';
import { hasDesk, type Role } from './permissions.ts';

/** Where nothing better is known. */
export const HOME = '/';
/** Where somebody chooses a password whom a mail has let in. */
export const CHOOSE_PASSWORD = '/reset-password';

/**
 * A path of this site to go on to, from an address that anybody may have written. Anything that a browser
 * could read as another site (`//host`, a backslash, a scheme) is null.
 */
export function safePath(value: unknown): string | null {
  if (typeof value !== 'string' || !value.startsWith('/') || /[\\\p{Cc}]/u.test(value)) return null;
  const here = 'http://here.invalid';
  const url = URL.parse(value, here);
  if (url?.origin !== here || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}

/**
 * As safePath, from the link of a mail, which may hold a whole address of this site. The front page is what a
 * backend puts there when it was told nothing, so it counts as nothing.
 * @param site its address, for which links are made
 */
export function mailedPath(value: unknown, site: string): string | null {
  const { origin } = new URL(site);
  const url = typeof value === 'string' && !value.startsWith('/') ? URL.parse(value) : null;
  const path = safePath(url?.origin === origin ? url.href.slice(origin.length) : value);
  return path === HOME ? null : path;
}

/** The sign-in page that leads back to where somebody was. */
export function signInPath(from: URL): string {
  return pathWith('/sign-in', { next: from.pathname + from.search });
}

/** Where somebody goes who signed in without being on the way to anywhere. */
export function afterSignIn(role: Role): string {
  return hasDesk(role) ? '/desk' : HOME;
}
