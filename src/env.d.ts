declare namespace App {
  /** The session is set on private routes only: a public page is the same for every visitor and reads no cookie. */
  interface Locals extends Partial<import('./lib/data/session.server.ts').SessionLocals> {
    /** The status of a page that says why another one failed. */
    failure?: number;
    /** Who may show this page in a frame: nobody, unless it says so. */
    frames?: string[];
    /** The page is rendered to be kept in a folder (src/lib/archive): its now is this moment, and nothing on it is cut. */
    kept?: { at: Date };
    /** Waits until what was written is on its way (src/lib/server/startup-messages.ts). Not there in development. */
    taken?: () => Promise<void>;
  }
}

/** The service workers, readers' and the desk's, and what takes readers' away: made by src/lib/server/build/offline-worker.ts. */
declare module 'virtual:offline-worker' {
  export const worker: string;
  export const leaving: string;
  export const deskWorker: string;
}

/** A part of a page with a copy of its own of all that it imports: see src/lib/server/build/build-scripts.ts. */
declare module '*/live-feed/photos.ts?page' {
  export function showPhotos(): void;
}
declare module '*/saved-pages.ts?page=saved' {
  export function listSavedPages(): Promise<void>;
}
declare module '*/come-back.ts?page=back' {
  export function returnToPage(): void;
}
declare module '*/polling.ts?page=own' {
  export const createPoller: typeof import('./islands/live-feed/polling.ts').createPoller;
}
