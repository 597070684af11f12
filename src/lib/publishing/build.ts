// Inserted by the build: see src/lib/server/build/build-id.ts.
declare const __STOPPRESS_BUILD__: string;

/** Id of this build. Pages and changes responses contain it, so that an open page notices a newer build. */
export const BUILD: string = __STOPPRESS_BUILD__;

/**
 * Kilobytes that an open page transfers when a reader on a poor connection starts following by checks: the scripts
 * (tests/budget/scripts.json), and ten seconds later the service worker with the page that it stores.
 */
export const FOLLOW_SCRIPTS_KB = 76;

/** Kilobytes of the scripts that keep a receipt page up to date. */
export const RECEIPT_SCRIPTS_KB = 62;
