/** Prefix of the worker's caches. */
export const PREFIX = 'stoppress-';

/** Visited public pages. The number is the version of the storage format. */
export const PAGES = `${PREFIX}pages-1`;

/** Recent withdrawals, so that responses sent before them are not saved. */
export const WITHDRAWN_MARKS = `${PREFIX}withdrawn-1`;

/** Recently shown alerts, and the person whose alerts this device shows. */
export const ALERTS = `${PREFIX}alerts-1`;

/** Pages that stand in for missing ones. */
export const SHELLS = `${PREFIX}shells-1`;

export const OFFLINE_PATH = '/offline';
