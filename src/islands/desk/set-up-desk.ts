import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import type { WaitingMessage } from '../../lib/data/desk.ts';
import { onNetworkChange } from '../network/network.ts';
import { registerDeskWorker, requestSyncForCommands } from '../outbox/background-sync.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import { readPendingCommands } from '../outbox/commands.ts';
import { devicePerson, setDevicePerson } from '../outbox/drafts.ts';
import { hasSendableFollowUps } from '../outbox/follow-ups.ts';
import { isDurable } from '../outbox/store.ts';
import { countUnsentPhotos } from '../photos/photo-store.ts';
import { DESK_CHANGED } from './context.ts';

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

/** Interval of refetches in milliseconds. It continues in a hidden page, whose title shows the count. */
const POLL_MS = 20_000;

/** Delay that combines several changes into one refetch. */
const COALESCE_MS = 1000;

/**
 * Shows the number of waiting items in the title and the list while the page is open. Announces the first waiting item.
 * Pages without the list show nothing.
 */
export function showWaiting(): void {
  const container = document.getElementById('waiting');
  const status = document.getElementById('waiting-begun');
  if (container && status) watchWaiting(container, status);
}

function watchWaiting(container: HTMLElement, status: HTMLElement): void {
  let previousCount: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show({ count, lines }: WaitingMessage): void {
    document.title = withCount(document.title, count);
    container.querySelector('ul')?.replaceChildren(...lines.map(item));
    container.hidden = count === 0;
    if (count === 0) status.textContent = '';
    else if (previousCount === 0) status.textContent = container.dataset.begun ?? '';
    previousCount = count;
    for (const element of document.querySelectorAll<HTMLElement>('[data-waits]')) {
      const here = lines.filter(({ coverage }) => coverage === element.dataset.waits);
      element.textContent = here.map(({ short }) => short).join(', ');
    }
  }

  async function refetch(): Promise<void> {
    clearTimeout(timer);
    try {
      const response = await fetch('/api/waiting');
      if (response.ok) show((await response.json()) as WaitingMessage);
    } catch {
      // The last state stays; the desk shows elsewhere that it is offline.
    }
    refetchIn(POLL_MS);
  }

  function refetchIn(delayMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void refetch(), delayMs);
  }

  document.addEventListener(DESK_CHANGED, () => refetchIn(COALESCE_MS));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void refetch();
  });
  onNetworkChange((isOnline) => isOnline && void refetch());
  void refetch();
}

/** `(3) Headline · Desk`; without the number at zero. */
export function withCount(title: string, count: number): string {
  const bare = title.replace(/^\(\d+\) /, '');
  return count > 0 ? `(${count}) ${bare}` : bare;
}

type Line = WaitingMessage['lines'][number];

/** Text of a line. The desk of a coverage leaves out its own headline. */
export function labelOf({ href, text, short }: Omit<Line, 'coverage'>, pathname: string): string {
  const [, slug] = /^\/desk\/([a-z0-9-]+)$/.exec(pathname) ?? [];
  const isOfThisDesk = href === pathname || (slug !== undefined && href.endsWith(`=${slug}`));
  return isOfThisDesk ? short : text;
}

function item(line: Line): HTMLLIElement {
  const textContent = labelOf(line, location.pathname);
  const link = Object.assign(document.createElement('a'), { href: line.href, textContent });
  const item = document.createElement('li');
  item.append(link);
  return item;
}
