import type { Declared } from '../http/path.ts';

/** The page of corrections; that of those before a place. */
export const correctionsPath = (before?: number) =>
  before === undefined ? '/corrections' : `/corrections?before=${before}`;

/** What counts on it: a place is microseconds since 1970. */
export const CORRECTIONS_PARAMETERS: Declared = { before: /^[1-9]\d{0,15}$/ };
