/** Returns the public URL of a path. Uses SITE_URL, read at run time, and never the Host header. */
export function siteUrl(path: string): string {
  return new URL(path, process.env.SITE_URL || 'http://127.0.0.1:4321').href;
}

/** Whether the site is served over https. */
export function isSecureSite(): boolean {
  return siteUrl('/').startsWith('https:');
}
