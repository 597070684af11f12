import { currentWork } from './work.ts';

/** The database cannot be reached, ended the session or has no free session. The request is not at fault, and may be repeated soon. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/** @returns an Unavailable; the work that met it is marked, because lite answers an unknown error as a fault of its own */
export function unavailable(reason = 'The database cannot be reached.'): Unavailable {
  currentWork().outcome.wasUnavailable = true;
  return new Unavailable(reason);
}
