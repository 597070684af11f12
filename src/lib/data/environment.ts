/**
 * Reads the connection to the backend from the environment, at run time, so that one build works with the embedded
 * backend and with hosted projects. Three variables are the only difference.
 * @throws Error if a variable is missing, so that the server does not start without it
 */
export function backendSettings(environment: NodeJS.ProcessEnv = process.env) {
  const publicUrl = environment.PUBLIC_SUPABASE_URL;
  const publishableKey = environment.PUBLIC_SUPABASE_PUBLISHABLE_KEY;
  if (!publicUrl || !publishableKey) {
    throw new Error('PUBLIC_SUPABASE_URL and PUBLIC_SUPABASE_PUBLISHABLE_KEY must be set.');
  }
  // Set only by the process that starts the embedded backend.
  const url = environment.STOPPRESS_BACKEND_URL ?? publicUrl;
  const headers = JSON.parse(environment.STOPPRESS_BACKEND_HEADERS ?? '{}') as Record<string, string>;
  // `publicUrl` is for browsers: `/` if this site proxies the calls. The headers must not reach browsers.
  return { url, publicUrl, publishableKey, headers };
}

/** Returns the public URL of a path. Uses SITE_URL, read at run time, and never the Host header. */
export function siteUrl(path: string): string {
  return new URL(path, process.env.SITE_URL || 'http://127.0.0.1:4321').href;
}

/** Whether the site is served over https. */
export function isSecureSite(): boolean {
  return siteUrl('/').startsWith('https:');
}
