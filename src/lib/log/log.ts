import { openLog } from '../../../supabase/log/log.ts';

/** The log of the site's process. */
export const log = openLog('site');
