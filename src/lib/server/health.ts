import type { BackendAddress } from './backend-process.ts';

/** Why the site should not get traffic. */
export type Missing = 'starting' | 'backend' | 'stopping';

export type Health = {
  /** The pages are ready; `ask` checks whether the backend answers. */
  begin(ask: () => Promise<boolean>): void;
  /** The site is shutting down. */
  leave(): void;
  /** The last known state, at once. */
  known(): Missing | undefined;
  /** The current state. It checks the backend if the last check is older than `KEPT_MS`. */
  ask(): Promise<Missing | undefined>;
};

/** The backend is checked at most this often, in milliseconds. */
const KEPT_MS = 2_000;

export function openHealth(now: () => number = () => performance.now()): Health {
  let standing: 'starting' | 'running' | 'stopping' = 'starting';
  let askBackend = async () => true;
  let answers = true;
  let asked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  const missing = (): Missing | undefined =>
    standing === 'running' ? (answers ? undefined : 'backend') : standing;

  function look(): Promise<void> {
    if (now() - asked < KEPT_MS) return asking ?? Promise.resolve();
    asked = now();
    asking = askBackend().then(
      (well) => {
        answers = well;
        asking = undefined;
      },
      () => {
        answers = false;
        asking = undefined;
      },
    );
    return asking;
  }

  return {
    begin(ask) {
      askBackend = ask;
      if (standing === 'starting') standing = 'running';
    },
    leave() {
      standing = 'stopping';
    },
    known() {
      // Updates the state for the next request: a liveness check must not wait for the backend.
      if (standing === 'running') void look();
      return missing();
    },
    async ask() {
      if (standing === 'running') await look();
      return missing();
    },
  };
}

/** Timeout of the check, in milliseconds. Reading a row takes a few; the next health check tries again. */
const LONGEST_MS = 2_000;

/** Checks whether a backend, embedded or hosted, answers from its database. */
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
