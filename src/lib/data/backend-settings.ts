/**
 * Connection to the backend. Three variables are the only difference between the embedded backend and a hosted
 * project. Read at run time, so that one build works with both.
 */
type BackendSettings = {
  /** URL at which this server reaches the backend. */
  url: string;
  /** URL at which browsers reach it: absolute, or `/` if this site proxies the calls. */
  publicUrl: string;
  publishableKey: string;
  /** Headers that the server adds to its own requests. They must not reach browsers. */
  headers: Record<string, string>;
};

/**
 * Reads the connection from the environment. Throws if a variable is missing, so that the server does not start
 * without it.
 */
export function backendSettings(environment: NodeJS.ProcessEnv = process.env): BackendSettings {
  const publicUrl = environment.PUBLIC_SUPABASE_URL;
  const publishableKey = environment.PUBLIC_SUPABASE_PUBLISHABLE_KEY;
  if (!publicUrl || !publishableKey) {
    throw new Error('PUBLIC_SUPABASE_URL and PUBLIC_SUPABASE_PUBLISHABLE_KEY must be set.');
  }
  // Set only by the process that starts the embedded backend.
  const url = environment.STOPPRESS_BACKEND_URL ?? publicUrl;
  const headers = JSON.parse(environment.STOPPRESS_BACKEND_HEADERS ?? '{}') as Record<string, string>;
  return { url, publicUrl, publishableKey, headers };
}
