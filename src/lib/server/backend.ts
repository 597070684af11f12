import { type BackendAddress, startBackendProcess } from './backend-process.ts';
import { type PassOn, passOn } from './pass-on.ts';
import type { BackendChoice, Environment } from './settings.ts';

export type Backend = BackendAddress & {
  /** Hands browsers' calls on to it; absent where they reach it by themselves. */
  passOn: PassOn | undefined;
  stop(): Promise<void>;
};

/** The chosen backend, running. */
export async function openBackend(choice: BackendChoice, siteUrl: string): Promise<Backend> {
  if (choice.kind === 'hosted') return { ...choice, passOn: undefined, stop: async () => {} };
  const started = await startBackendProcess(choice, siteUrl);
  return { ...started, passOn: passOn(started.url) };
}

/**
 * Tells the pages, by the environment that they read at run time, what they need to know of site and backend. The
 * secret key is taken away: no page has a use for it.
 */
export function tellPages(environment: Environment, backend: Backend, siteUrl: string): void {
  environment.SITE_URL = siteUrl;
  environment.PUBLIC_SUPABASE_URL = backend.passOn ? '/' : backend.url;
  environment.PUBLIC_SUPABASE_PUBLISHABLE_KEY = backend.publishableKey;
  if (backend.passOn) environment.STOPPRESS_BACKEND_URL = backend.url;
  delete environment.SUPABASE_SECRET_KEY;
}
