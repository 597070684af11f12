/**
 * What the desk's worker keeps begins with this: nothing that readers' switch over copies takes away, because nothing
 * published is among it.
 */
export const DESK_PREFIX = 'desk-';
export const DESK_SHELL_PATH = '/offline/desk';
/** The desk's worker answers for addresses that begin so. */
export const DESK_SCOPE = '/desk';
export const DESK_WORKER_PATH = '/desk-sw.js';

/** Where a build says which scripts the desk needs: written by lib/server/desk-files.ts. */
export const deskFilesPath = (build: string): string => `/_astro/desk-files.${build}.json`;

/** By this name the desk asks the browser to send what was pressed as soon as there is a line. */
export const SYNC_TAG = 'stoppress-outbox';
