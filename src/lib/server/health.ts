import type { BackendAddress } from './backend-process.ts';

/** Why the site is not ready to be sent visitors. */
export type Missing = 'starting' | 'backend' | 'stopping';

export type Health = {
  /** The pages can be asked; `ask` says whether the backend answers. */
  begin(ask: () => Promise<boolean>): void;
  /** It leaves: whoever comes anew goes elsewhere. */
  leave(): void;
  /** What is missing, as far as is known, at once. */
  known(): Missing | undefined;
  /** The same, asked anew where that was some time ago. */
  ask(): Promise<Missing | undefined>;
};

/** However many ask, the backend is asked once in so long. */
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
      // For whoever asks next: who asks whether we are alive does not wait for others.
      if (standing === 'running') void look();
      return missing();
    },
    async ask() {
      if (standing === 'running') await look();
      return missing();
    },
  };
}

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
