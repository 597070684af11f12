import type { BackendAddress } from '../server/backend-process.ts';

/** A row takes milliseconds. Who asks whether we are ready asks again. */
const LONGEST_MS = 2_000;

/** Asks whether a backend, embedded or hosted, answers out of its database. */
export const asksBackend =
  ({ url, publishableKey }: BackendAddress) =>
  async (): Promise<boolean> => {
    const { ok, body } = await fetch(`${url}/rest/v1/site?select=name&limit=1`, {
      headers: { apikey: publishableKey },
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    await body?.cancel();
    return ok;
  };
