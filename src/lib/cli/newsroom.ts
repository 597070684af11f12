import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackendAddress, startBackendProcess } from '../server/backend-process.ts';
import type { BackendChoice } from '../server/settings.ts';

/** A backend on this machine that is alive answers at once. */
const ALIVE_WITHIN_MS = 2_000;

export type Newsroom = BackendAddress & {
  /** Stops what was started for this command; leaves alone what was running. */
  close(): Promise<void>;
};

/**
 * The newsroom that a command works on: the chosen project, the one running on the data folder, or else its
 * backend, started for the time of the command.
 * @throws BackendFailed when it does not start
 */
export async function openNewsroom(choice: BackendChoice): Promise<Newsroom> {
  if (choice.kind === 'hosted') return { ...choice, close: async () => {} };
  const running = await findRunning(choice.data);
  if (running) return { ...running, close: async () => {} };
  const started = await startBackendProcess(choice);
  return { ...started, close: started.stop };
}

async function findRunning(data: string): Promise<BackendAddress | undefined> {
  const text = await readFile(join(data, 'backend.json'), 'utf8').catch(() => undefined);
  if (!text) return undefined;
  const announced = JSON.parse(text) as BackendAddress;
  // A backend that was killed leaves its announcement behind, and its port may be another program's by now: so it
  // is asked with the key that is no secret.
  const signal = AbortSignal.timeout(ALIVE_WITHIN_MS);
  const headers = { apikey: announced.publishableKey };
  const answer = await fetch(`${announced.url}/rest/v1/site?select=here`, { headers, signal }).catch(
    () => undefined,
  );
  return answer?.ok ? announced : undefined;
}
