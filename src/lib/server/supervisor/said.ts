import type { Environment, Settings } from '../settings.ts';

/** What everything is to be run with, read anew at each deploy. */
export type Said = { settings: Settings; environment: Environment };
