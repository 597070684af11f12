import { type LogOptions, openLog } from 'embedded-supabase';

/** Format and level of the log, as the environment sets them. */
export const logOptions = (): LogOptions => ({
  format: process.env.STOPPRESS_LOG,
  level: process.env.STOPPRESS_LOG_LEVEL,
});

/** The log of the website's process. */
export const log = openLog('site', logOptions);
