import { resolve } from 'node:path';
import { type Child, startChild } from './child.ts';

const MAIN = resolve('packages/embedded-supabase/src/main.ts');

type Ready = { url: string; publishableKey: string; secretKey: string; headers: Record<string, string> };

export type BackendProcess = Ready & Omit<Child<Ready>, 'ready'>;

/**
 * Starts the real backend with exactly this environment and waits until it answers.
 * @throws StartRefused when it ends instead
 */
export async function startProcess(environment: Record<string, string>): Promise<BackendProcess> {
  const { ready, ...child } = await startChild<Ready>(MAIN, environment);
  const { url, publishableKey, secretKey, headers } = ready;
  return { url, publishableKey, secretKey, headers, ...child };
}
