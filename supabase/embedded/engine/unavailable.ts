import { AsyncLocalStorage } from 'node:async_hooks';

/** The database cannot be reached, ended the session or has none to spare: nobody's fault who asked, and over soon. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

const work = new AsyncLocalStorage<{ met: boolean }>();

/** @returns an Unavailable, of which the work that met it is marked */
export function unavailable(reason = 'The database cannot be reached.'): Unavailable {
  const marked = work.getStore();
  if (marked) marked.met = true;
  return new Unavailable(reason);
}

/**
 * Runs work and tells whether the database was unavailable to any part of it. lite answers every error that it does
 * not know as a fault of its own, so the error alone does not reach us.
 */
export async function meetsUnavailable(run: () => Promise<void>): Promise<boolean> {
  const marked = { met: false };
  await work.run(marked, run);
  return marked.met;
}
