declare namespace App {
  /** The session is set on private routes only: a public page is the same for every visitor and reads no cookie. */
  interface Locals extends Partial<import('./lib/auth/session.server.ts').SessionLocals> {
    /** The status of a page that says why another one failed. */
    failure?: number;
  }
}

/** A part of a page with a copy of its own of all that it imports: see src/lib/server/build-scripts.ts. */
declare module '*/show-photos.ts?page' {
  export function showPhotos(): void;
}
