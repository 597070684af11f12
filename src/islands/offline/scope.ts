/** An event that a worker may prolong until its work is done. */
export type Lasting = Event & { waitUntil(work: Promise<unknown>): void };

/** The browser asks the site for the page itself, while the worker is still being started. */
export type Visit = Lasting & { request: Request; preloadResponse?: Promise<Response | undefined> };

/** Something that a page asks for, which the worker may answer. */
export type Answerable = Visit & { respondWith(response: Promise<Response>): void };

/** A message of a push service; without data where it brought none. */
export type Pushed = Lasting & { data: { text(): string } | null };

/** A notification was pressed. */
export type Pressed = Lasting & { notification: Notification };

/** The push service gives another address, or has none any more: then the worker asks for one. */
export type Readdressed = Lasting & { newSubscription?: PushSubscription | null };

/** What a notification may have; TypeScript's own description lacks what only some browsers know. */
export type NotificationLook = NotificationOptions & { renotify?: boolean; timestamp?: number };

/** A page of ours that is open. */
export type OpenPage = { url: string; focus(): Promise<unknown> };

/**
 * What a worker finds around it, as far as ours need it: TypeScript's own description of workers cannot stand beside
 * that of pages in one program.
 */
export type WorkerScope = {
  addEventListener(type: 'install' | 'activate', act: (event: Lasting) => void): void;
  addEventListener(type: 'message', act: (event: Lasting & { data: unknown }) => void): void;
  addEventListener(type: 'fetch', act: (event: Answerable) => void): void;
  addEventListener(type: 'sync', act: (event: Lasting & { tag: string }) => void): void;
  addEventListener(type: 'push', act: (event: Pushed) => void): void;
  addEventListener(type: 'notificationclick', act: (event: Pressed) => void): void;
  addEventListener(type: 'pushsubscriptionchange', act: (event: Readdressed) => void): void;
  skipWaiting(): Promise<void>;
  clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<OpenPage[]>;
    openWindow(url: string): Promise<unknown>;
  };
  registration: {
    unregister(): Promise<boolean>;
    showNotification(title: string, options: NotificationLook): Promise<void>;
    pushManager: PushManager;
    navigationPreload?: { enable(): Promise<void> };
  };
};

export const workerScope = (): WorkerScope => globalThis as unknown as WorkerScope;
