declare namespace App {
  /** The session is set on private routes only: a public page is the same for every visitor and reads no cookie. */
  interface Locals extends Partial<import('./lib/auth/session.server.ts').SessionLocals> {
    /** The status of a page that says why another one failed. */
    failure?: number;
  }
}

/** The service worker, and what takes it away: made by src/lib/server/offline-worker.ts. */
declare module 'virtual:offline-worker' {
  export const worker: string;
  export const leaving: string;
}

/** A part of a page with a copy of its own of all that it imports: see src/lib/server/build-scripts.ts. */
declare module '*/show-photos.ts?page' {
  export function showPhotos(): void;
}
declare module '*/keep-desk.ts?page=desk' {
  export function keepDesk(keepsCopies: boolean): void;
}
