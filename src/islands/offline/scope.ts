/** An event that keeps the worker alive until its work is done. */
type ExtendableEvent = Event & { waitUntil(work: Promise<unknown>): void };

/** A navigation; the browser may have started the request while the worker was starting. */
export type NavigationEvent = ExtendableEvent & {
  request: Request;
  preloadResponse?: Promise<Response | undefined>;
};

/** A request that the worker may answer. */
export type FetchEvent = NavigationEvent & { respondWith(response: Promise<Response>): void };

/** A push message, possibly without data. */
type PushEvent = ExtendableEvent & { data: { text(): string } | null };

/** A click on a notification. */
type NotificationClickEvent = ExtendableEvent & { notification: Notification };

/** The push service changed or removed the subscription. */
export type SubscriptionChangeEvent = ExtendableEvent & { newSubscription?: PushSubscription | null };

/** Options of a notification, including those that TypeScript does not know. */
export type AlertOptions = NotificationOptions & { renotify?: boolean; timestamp?: number; image?: string };

/** An open page of this site. */
type OpenPage = { url: string; focus(): Promise<unknown> };

/**
 * The parts of a worker's global scope that are used here. TypeScript's types for workers conflict with those for
 * pages.
 */
export type WorkerScope = {
  addEventListener(type: 'install' | 'activate', handler: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'message', handler: (event: ExtendableEvent & { data: unknown }) => void): void;
  addEventListener(type: 'fetch', handler: (event: FetchEvent) => void): void;
  addEventListener(type: 'sync', handler: (event: ExtendableEvent & { tag: string }) => void): void;
  addEventListener(type: 'push', handler: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', handler: (event: NotificationClickEvent) => void): void;
  addEventListener(type: 'pushsubscriptionchange', handler: (event: SubscriptionChangeEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<OpenPage[]>;
    openWindow(url: string): Promise<unknown>;
  };
  registration: {
    unregister(): Promise<boolean>;
    showNotification(title: string, options: AlertOptions): Promise<void>;
    pushManager: PushManager;
    navigationPreload?: { enable(): Promise<void>; disable(): Promise<void> };
  };
};

export const workerScope = (): WorkerScope => globalThis as unknown as WorkerScope;

/**
 * Has the browser request a page while the worker starts. Not in Firefox: there a preload that fails shows the
 * browser's own error page, whatever the worker answers. A worker of an earlier version may have left it on.
 */
export async function setNavigationPreload({ registration }: WorkerScope): Promise<void> {
  const isFirefox = /Firefox\//.test(navigator.userAgent);
  await (isFirefox ? registration.navigationPreload?.disable() : registration.navigationPreload?.enable());
}
