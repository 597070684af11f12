// Put in by the build: see src/lib/server/build/build-id.ts.
declare const __STOPPRESS_BUILD__: string;

/** Which build this is. Pages and `changes` both carry it, so that an open page learns of a newer one. */
export const BUILD: string = __STOPPRESS_BUILD__;

/**
 * What an open page loads when a reader on a poor line has it follow its coverage by checks, in kilobytes as they are sent: the
 * scripts (tests/budget/scripts.json) and, ten seconds later, the worker that keeps pages with the page that it stands in by.
 */
export const FOLLOWING_KB = 76;

/** What a receipt loads to be kept up to date, in the same way: its scripts, and no worker. */
export const RECEIPT_KB = 62;
