import { openLog } from '../../../packages/embedded-supabase/src/log/log.ts';

/** The log of the website's process. */
export const log = openLog('site');
