import { asking, tellDevice } from '../alerts/push.ts';
import { again, type Newsroom, readAlert } from './alert.ts';
import { deviceNote, noteShown, shownAlerts } from './alert-notes.ts';
import type { Readdressed, WorkerScope } from './scope.ts';
import { followedSlug, slugOf } from './visited.ts';

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
