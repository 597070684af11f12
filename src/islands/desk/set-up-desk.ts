import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { registerDeskWorker, requestSyncForCommands } from '../outbox/background-sync.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import { readPendingCommands } from '../outbox/commands.ts';
import { devicePerson, setDevicePerson } from '../outbox/drafts.ts';
import { hasSendableFollowUps } from '../outbox/follow-ups.ts';
import { isDurable } from '../outbox/store.ts';
import { countUnsentPhotos } from '../photos/photo-store.ts';

/** Delay before the desk's worker is registered, in milliseconds. The page's own scripts load first. */
const WORKER_DELAY_MS = 2000;

/** Data on the body of every desk page: its person and what sending needs. */
type PageData = { person: string; backend: BrowserBackend; allowsSavedPages: boolean };

/** Sets up every page of the desk: stores whose device this is, registers the worker, and sends the outbox. */
export async function setUpDesk(): Promise<void> {
  const { person = '', url = '/', key = '', copies } = document.body.dataset;
  const here = {
    person,
    backend: { publicUrl: url, publishableKey: key },
    allowsSavedPages: copies !== 'off',
  };
  // Rejected in private windows and on full devices; then the desk works only online.
  setTimeout(() => void registerWorkers(here).catch(() => undefined), WORKER_DELAY_MS);
  await setDevicePerson(person);
  onOutboxEvent(({ type }) => {
    if (type === 'device') void reloadForOtherPerson(person);
  });
  requestSyncForCommands(person);
  await sendWhileOpen(here);
}

/**
 * Registers the desk's worker, also on a poor connection, where it is needed most. If the site allows no saved pages,
 * the readers' worker updates and unregisters itself.
 */
async function registerWorkers({ allowsSavedPages }: PageData): Promise<void> {
  await registerDeskWorker();
  if (!allowsSavedPages) await (await navigator.serviceWorker?.getRegistration('/'))?.update();
}

/** Reloads the page after another person has signed in in another tab. */
async function reloadForOtherPerson(person: string): Promise<void> {
  const here = await devicePerson();
  // Reloading would lose data that is only in this page.
  if (here !== null && here !== person && isDurable()) location.reload();
}

/** Sends the outbox when something waits. A coverage's desk does that itself. */
async function sendWhileOpen({ person, backend }: PageData): Promise<void> {
  if (document.querySelector('.composer, .no-composer')) return;
  let stop: (() => void) | undefined;
  const update = async () => {
    // Another person has signed in in another tab, or this person has signed out.
    const isSignedIn = (await devicePerson()) === person;
    if (!isSignedIn) {
      stop?.();
      stop = undefined;
    }
    const hasQueued =
      isSignedIn &&
      ((await readPendingCommands(person)).length > 0 ||
        (await countUnsentPhotos(person)) > 0 ||
        (await hasSendableFollowUps(person)));
    if (stop || !hasQueued) return;
    const { startOutboxSender } = await import('../outbox/start-sending.ts');
    stop ??= startOutboxSender(person, backend);
  };
  onOutboxEvent(() => void update());
  await update();
}
