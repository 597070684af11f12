declare namespace App {
  /** Set on private routes only: a public page is the same for every visitor and reads no cookie. */
  interface Locals extends Partial<import('./lib/data/session.server.ts').SessionLocals> {
    /**
     * Messages of the page, in its language. The middleware sets those of the site; a coverage has its own language.
     */
    messages: import('./lib/i18n/messages.ts').Messages;
    /** Status of the error page. */
    failure?: number;
    /** Sites that may show this page in a frame. Default: none. */
    frames?: string[];
    /** Origins of the players that this page may load in frames. Default: none. */
    players?: string[];
    /**
     * The page is rendered for a coverage folder (src/lib/publishing/coverage-folder): `at` is its current time, and
     * lists are complete.
     */
    exported?: { at: Date };
    /**
     * Resolves when the client has received what was written (src/lib/server/site.ts). Absent in
     * development.
     */
    drained?: () => Promise<void>;
  }
}

/**
 * Source texts of the service workers for readers and the desk, and of the one that removes the readers' worker
 * (src/lib/server/build/build-scripts.ts).
 */
declare module 'virtual:offline-worker' {
  export const worker: string;
  export const leaving: string;
  export const deskWorker: string;
}

/** A module that is inlined in a page with its own copy of all imports (src/lib/server/build/build-scripts.ts). */
declare module '*/live-feed/photos.ts?page' {
  export function showPhotos(): void;
}
declare module '*/live-feed/players.ts?page' {
  export function showPlayers(): void;
}
declare module '*/live-feed/players.ts?page=frame' {
  export function playFiles(): void;
}
declare module '*/saved-pages.ts?page=saved' {
  export function listSavedPages(): Promise<void>;
}
declare module '*/come-back.ts?page=back' {
  export function returnToPage(): void;
}
declare module '*/device-follows.ts?page=alerts' {
  export function setUpDeviceList(): void;
}
declare module '*/polling.ts?page=own' {
  export const createPoller: typeof import('./islands/live-feed/polling.ts').createPoller;
}
