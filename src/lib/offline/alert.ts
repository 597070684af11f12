import { directionOf } from '../text/direction.ts';
import type { NotificationLook } from './scope.ts';

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
