/**
 * Which backend this server talks to: three variables are the whole difference between an embedded
 * backend and a hosted project. Read at run time, so that one build serves both.
 */
export type BackendSettings = {
  /** Where the server itself reaches the backend. */
  url: string;
  /** Where browsers reach it: absolute, or `/` when this site passes the calls on. */
  publicUrl: string;
  publishableKey: string;
  /** Request headers that the server sends with its own calls, for a visitor or for itself. Never for browsers. */
  headers: Record<string, string>;
};

/** The settings of this process. Throws when one is missing: the server refuses to start without them. */
export function backendSettings(environment: NodeJS.ProcessEnv = process.env): BackendSettings {
  const publicUrl = environment.PUBLIC_SUPABASE_URL;
  const publishableKey = environment.PUBLIC_SUPABASE_PUBLISHABLE_KEY;
  if (!publicUrl || !publishableKey) {
    throw new Error('PUBLIC_SUPABASE_URL and PUBLIC_SUPABASE_PUBLISHABLE_KEY must be set.');
  }
  // Only the process that starts the backend sets these two.
  const url = environment.STOPPRESS_BACKEND_URL ?? publicUrl;
  const headers = JSON.parse(environment.STOPPRESS_BACKEND_HEADERS ?? '{}') as Record<string, string>;
  return { url, publicUrl, publishableKey, headers };
}
