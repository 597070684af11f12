import { directionOf } from '../../lib/i18n/language.ts';
import {
  deviceNote,
  renewSubscription,
  saveShownAlert,
  shownAlerts,
  subscriptionOptions,
} from '../alerts/registration.ts';
import { network } from '../network/network.ts';
import { followedSlug, navigationTarget, slugOf } from './saved-page.ts';
import type { AlertOptions, SubscriptionChangeEvent, WorkerScope } from './scope.ts';

/** Site data that the server adds to the worker, for unreadable messages. */
type SiteInfo = { name: string; lang: string; unread: string };

/** An alert to show. */
type Alert = {
  /** Id that identifies a repeated alert. */
  id?: string | undefined;
  title: string;
  options: AlertOptions;
  /** Path that the alert opens. */
  path: string;
};

/** Only photos of this site are shown. */
const PHOTO_PATH = /^\/photos\/[\da-f-]{36}\/\d{1,4}$/;

/** Limit of a text in characters; no screen shows more. */
const MAX_LENGTH = 400;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() ? value.slice(0, MAX_LENGTH) : undefined;

/** Parses a push message. Returns an alert for any content, because browsers require one to be shown. */
export function readAlert(text: string | undefined, site: SiteInfo, origin: string): Alert {
  const { alert, title, body, url, tag, urgent, lang, at, photo } = fieldsOf(text);
  const named = textOf(title);
  const language = textOf(lang) ?? site.lang;
  const path = pathOf(url, origin);
  const isUrgent = urgent === true;
  const picture = pathOf(photo, origin);
  return {
    id: textOf(alert),
    title: named ?? site.name,
    path,
    options: {
      body: textOf(body) ?? (named ? '' : site.unread),
      lang: language,
      dir: directionOf(language),
      // One alert per coverage: a newer one replaces it.
      tag: textOf(tag) ?? 'news',
      timestamp: typeof at === 'number' ? at : Date.now(),
      requireInteraction: isUrgent,
      renotify: isUrgent,
      icon: '/icon-192.png',
      ...(PHOTO_PATH.test(picture) && { image: picture }),
      data: { path },
    },
  };
}

function fieldsOf(text: string | undefined): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(text ?? '');
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A path on this site; other URLs become `/`. */
function pathOf(url: unknown, origin: string): string {
  const to = typeof url === 'string' ? URL.parse(url, origin) : null;
  return to?.origin === origin ? to.pathname + to.search + to.hash : '/';
}

/** Options that replace a shown alert without a sound. */
export const silentRepeat = (options: AlertOptions): AlertOptions => ({
  ...options,
  silent: true,
  renotify: false,
  requireInteraction: false,
});

/** Shows each alert once and opens its coverage on a click. */
export function handleAlerts(scope: WorkerScope): void {
  const { newsroom } = globalThis as unknown as { newsroom: SiteInfo };
  let last: Promise<unknown> = Promise.resolve();

  scope.addEventListener('push', (event) => {
    const { id, title, options } = readAlert(event.data?.text(), newsroom, location.origin);
    // In sequence, because a repeated alert may follow immediately.
    last = last.then(() => show(id, title, options)).catch(() => undefined);
    event.waitUntil(last);
  });

  async function show(
    id: string | undefined,
    title: string,
    options: Parameters<typeof silentRepeat>[0],
  ): Promise<void> {
    const isKnown = id !== undefined && (await shownAlerts().catch((): string[] => [])).includes(id);
    // Without a notification, browsers show their own or revoke the permission.
    // The browser loads the photo before it shows the alert.
    const shown = network().isSlow ? { ...options, image: undefined } : options;
    await scope.registration.showNotification(title, isKnown ? silentRepeat(shown) : shown);
    if (id !== undefined) await saveShownAlert(id);
  }

  scope.addEventListener('notificationclick', (event) => {
    const { notification } = event;
    notification.close();
    event.waitUntil(openPath((notification.data as { path?: string } | null)?.path ?? '/'));
  });

  /** Focuses the live page if it is open, because it updates itself. Its older pages and other orders do not. */
  async function openPath(path: string): Promise<unknown> {
    const slug = slugOf(path);
    const open = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const page = open.find(({ url }) => {
      const target = navigationTarget(new URL(url));
      return slug !== undefined && target?.kind === 'page' && followedSlug(target.key) === slug;
    });
    return page ? page.focus() : scope.clients.openWindow(path);
  }

  scope.addEventListener('pushsubscriptionchange', (event) => {
    event.waitUntil(resubscribe(event).catch(() => undefined));
  });

  /** The newsroom refuses it under another person's session. */
  async function resubscribe({ newSubscription }: SubscriptionChangeEvent): Promise<void> {
    const note = await deviceNote();
    if (!note) return;
    await renewSubscription(
      newSubscription ?? (await scope.registration.pushManager.subscribe(subscriptionOptions(note.key))),
      note,
    );
  }
}
