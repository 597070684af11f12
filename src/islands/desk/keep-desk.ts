import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { registerDeskWorker, requestSyncForCommands } from '../outbox/background-sync.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import { readPendingCommands } from '../outbox/commands.ts';
import { devicePerson, setDevicePerson } from '../outbox/drafts.ts';
import { isDurable } from '../outbox/store.ts';
import { photosWaiting } from '../photos/photo-store.ts';

/** How long a page of the desk is open before its worker is asked for, in milliseconds: its own scripts come first. */
const SETTLED_MS = 2000;

/** Whose page this is, and what it needs to send for them: on the body of every page of the desk. */
type Here = { person: string; backend: BrowserBackend; keepsCopies: boolean };

/** What every page of the desk does: it knows whose device this is, has the desk's worker, and goes on sending. */
export async function keepDesk(): Promise<void> {
  const { person = '', url = '/', key = '', copies } = document.body.dataset;
  const here = { person, backend: { publicUrl: url, publishableKey: key }, keepsCopies: copies !== 'off' };
  // Refused in private windows and where a device has no room: then the desk needs its line.
  setTimeout(() => void haveWorker(here).catch(() => undefined), SETTLED_MS);
  await setDevicePerson(person);
  onOutboxEvent(({ type }) => {
    if (type === 'device') void leaveToOthers(person);
  });
  requestSyncForCommands(person);
  await goOn(here);
}

/**
 * On a poor line too: there it is needed, and what it keeps is for the most part what the desk has loaded anyway. Where
 * the site wants no copies for readers, the worker that keeps them learns of it.
 */
async function haveWorker({ keepsCopies }: Here): Promise<void> {
  await registerDeskWorker();
  if (!keepsCopies) await (await navigator.serviceWorker?.getRegistration('/'))?.update();
}

/** Somebody else has signed in, in another tab: this page is theirs, and shows nothing of its person's any more. */
async function leaveToOthers(person: string): Promise<void> {
  const here = await devicePerson();
  // What only this page has would be gone.
  if (here !== null && here !== person && isDurable()) location.reload();
}

/** Sends what waits, as soon as something does. The desk of a coverage does so by itself. */
async function goOn({ person, backend }: Here): Promise<void> {
  if (document.querySelector('.composer, .no-composer')) return;
  let stop: (() => void) | undefined;
  const look = async () => {
    // Somebody else has signed in, or nobody is: in another tab.
    const isTheirs = (await devicePerson()) === person;
    if (!isTheirs) {
      stop?.();
      stop = undefined;
    }
    const hasWork =
      isTheirs && ((await readPendingCommands(person)).length > 0 || (await photosWaiting(person)) > 0);
    if (stop || !hasWork) return;
    const { startOutboxSender } = await import('../outbox/sending.ts');
    stop ??= startOutboxSender(person, backend);
  };
  onOutboxEvent(() => void look());
  await look();
}
