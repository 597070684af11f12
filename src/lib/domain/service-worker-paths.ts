/**
 * Prefix of the desk worker's caches. The site's setting for saved pages does not affect them, because they contain
 * nothing published.
 */
export const DESK_PREFIX = 'desk-';
export const DESK_SHELL_PATH = '/offline/desk';
/** Scope of the desk's worker. */
export const DESK_SCOPE = '/desk';
export const DESK_WORKER_PATH = '/desk-sw.js';

/** List of the scripts that the desk needs, written by lib/server/desk-files.ts. */
export const deskFilesPath = (build: string): string => `/_astro/desk-files.${build}.json`;

/** Tag of the Background Sync that sends the outbox. */
export const SYNC_TAG = 'stoppress-outbox';
