import { directionOf } from '../../lib/i18n/language.ts';
import { asking, tellDevice } from '../alerts/push-requests.ts';
import { deviceNote, noteShown, shownAlerts } from './alert-notes.ts';
import { followedSlug, slugOf } from './saved-page.ts';
import type { NotificationLook, Readdressed, WorkerScope } from './scope.ts';

/** What the site writes in front of the worker: for a message that cannot be read. */
export type Newsroom = { name: string; lang: string; unread: string };

/** An alert as it is shown. */
export type Alert = {
  /** By which it is known again; absent where nobody said. */
  id?: string | undefined;
  title: string;
  look: NotificationLook;
  /** The path that it leads to. */
  path: string;
};

/** Longer, and no screen shows it. */
const MOST = 400;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() ? value.slice(0, MOST) : undefined;

/** A message as it came. Whatever it holds, there is something to show: a browser asks that of each. */
export function readAlert(said: string | undefined, newsroom: Newsroom, origin: string): Alert {
  const { alert, title, body, url, tag, urgent, lang, at } = fieldsOf(said);
  const named = textOf(title);
  const language = textOf(lang) ?? newsroom.lang;
  const path = pathOf(url, origin);
  const isUrgent = urgent === true;
  return {
    id: textOf(alert),
    title: named ?? newsroom.name,
    path,
    look: {
      body: textOf(body) ?? (named ? '' : newsroom.unread),
      lang: language,
      dir: directionOf(language),
      // One of each coverage: the next takes its place.
      tag: textOf(tag) ?? 'news',
      timestamp: typeof at === 'number' ? at : Date.now(),
      requireInteraction: isUrgent,
      renotify: isUrgent,
      icon: '/icon-192.png',
      data: { path },
    },
  };
}

function fieldsOf(said: string | undefined): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(said ?? '');
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Of this site alone: a message leads nowhere else. */
function pathOf(url: unknown, origin: string): string {
  const to = typeof url === 'string' ? URL.parse(url, origin) : null;
  return to?.origin === origin ? to.pathname + to.search + to.hash : '/';
}

/** The same once more: it takes the place of the first, without a sound. */
export const again = (look: NotificationLook): NotificationLook => ({
  ...look,
  silent: true,
  renotify: false,
  requireInteraction: false,
});

/** Alerts on this device: shown as they come, each once; pressed, they lead to their coverage. */
export function hearAlerts(scope: WorkerScope): void {
  const { newsroom } = globalThis as unknown as { newsroom: Newsroom };
  let last: Promise<unknown> = Promise.resolve();

  scope.addEventListener('push', (event) => {
    const { id, title, look } = readAlert(event.data?.text(), newsroom, location.origin);
    // One after the other: a second of the same id may be right behind.
    last = last.then(() => show(id, title, look)).catch(() => undefined);
    event.waitUntil(last);
  });

  async function show(
    id: string | undefined,
    title: string,
    look: Parameters<typeof again>[0],
  ): Promise<void> {
    const isKnown = id !== undefined && (await shownAlerts().catch((): string[] => [])).includes(id);
    // A browser that is shown nothing shows a line of its own, or takes the right away.
    await scope.registration.showNotification(title, isKnown ? again(look) : look);
    if (id !== undefined) await noteShown(id);
  }

  scope.addEventListener('notificationclick', (event) => {
    const { notification } = event;
    notification.close();
    event.waitUntil(lead((notification.data as { path?: string } | null)?.path ?? '/'));
  });

  /** To the live page, where it is open: what is new comes to it by itself. */
  async function lead(path: string): Promise<unknown> {
    const slug = slugOf(path);
    const open = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const page = open.find(({ url }) => slug !== undefined && followedSlug(new URL(url).pathname) === slug);
    return page ? page.focus() : scope.clients.openWindow(path);
  }

  scope.addEventListener('pushsubscriptionchange', (event) => {
    event.waitUntil(readdress(event).catch(() => undefined));
  });

  /** In the name of whoever set this device up; under anybody else's session the newsroom refuses it. */
  async function readdress({ newSubscription }: Readdressed): Promise<void> {
    const note = await deviceNote();
    if (!note) return;
    await tellDevice(
      newSubscription ?? (await scope.registration.pushManager.subscribe(asking(note.key))),
      note,
    );
  }
}
