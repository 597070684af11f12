/** An event that a worker may prolong until its work is done. */
export type Lasting = Event & { waitUntil(work: Promise<unknown>): void };

/** The browser asks the site for the page itself, while the worker is still being started. */
export type Visit = Lasting & { request: Request; preloadResponse?: Promise<Response | undefined> };

/** Something that a page asks for, which the worker may answer. */
export type Answerable = Visit & { respondWith(response: Promise<Response>): void };

/**
 * What a worker finds around it, as far as ours need it: TypeScript's own description of workers cannot stand beside
 * that of pages in one program.
 */
export type WorkerScope = {
  addEventListener(type: 'install' | 'activate', act: (event: Lasting) => void): void;
  addEventListener(type: 'message', act: (event: Lasting & { data: unknown }) => void): void;
  addEventListener(type: 'fetch', act: (event: Answerable) => void): void;
  addEventListener(type: 'sync', act: (event: Lasting & { tag: string }) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  registration: {
    unregister(): Promise<boolean>;
    navigationPreload?: { enable(): Promise<void> };
  };
};

export const workerScope = (): WorkerScope => globalThis as unknown as WorkerScope;
