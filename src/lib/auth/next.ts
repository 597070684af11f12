import { hasDesk, type Role } from './permissions.ts';

/** Where nothing better is known. */
export const HOME = '/';

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

/** The sign-in page that leads back to where somebody was. */
export function signInPath(from: URL): string {
  return `/sign-in?${new URLSearchParams({ next: from.pathname + from.search })}`;
}

/** Where somebody goes who signed in without being on the way to anywhere. */
export function afterSignIn(role: Role): string {
  return hasDesk(role) ? '/desk' : HOME;
}
