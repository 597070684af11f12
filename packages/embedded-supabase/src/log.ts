import { openLog } from './log/log.ts';

/** The log of the embedded backend. */
export const log = openLog('backend');
