/**
 * The public address of a path: from SITE_URL, read at run time, never from what a visitor's browser claims the
 * host to be.
 */
export function siteUrl(path: string): string {
  return new URL(path, process.env.SITE_URL || 'http://127.0.0.1:4321').href;
}

/** True when visitors come by https. */
export function isSecureSite(): boolean {
  return siteUrl('/').startsWith('https:');
}
