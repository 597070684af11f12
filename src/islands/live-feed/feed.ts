import { hasEnded, type PublicState } from '../../lib/domain/reader-coverage.ts';
import type { Clock } from '../../lib/domain/time.ts';
import { network, onNetworkChange } from '../network/network.ts';
import { onWake } from '../network/retry.ts';
import { findWorker, registerWorker, WORKER_DELAY_MS } from '../network/service-worker.ts';
import { type ChangesResponse, startFollowing } from './following.ts';
import {
  focusOn,
  hasPendingParts,
  isBannerInView,
  isSelected,
  isWithdrawn,
  keepScrollPosition,
  openList,
  readBanner,
  replacePart,
  replacePendingParts,
  showHeldCount,
} from './page.ts';
import {
  $alert,
  $announcement,
  $freshness,
  $held,
  $pauseReasons,
  $urgentBar,
  announceFeedState,
  type FeedMessages,
} from './store.ts';

export type Feed = {
  /** Inserts the held updates and scrolls to the newest. */
  showHeld(): void;
  /** Scrolls to the urgent banner. */
  showUrgent(): void;
  stop(): void;
};

/**
 * Keeps the page of a coverage up to date. Changes replace their parts; new updates are held until the reader is at the
 * top or asks for them. The text being read does not move.
 */
export function startFeed(clock: Clock, messages: FeedMessages): Feed {
  const page = requireElement('coverage');
  // The page of a coming coverage has no list.
  const listElement = document.getElementById('updates') ?? document.createElement('div');
  const state = page.dataset.state as PublicState;
  const list = openList(listElement);
  const copies = startSavingCopy(page);
  const savedNote = document.getElementById('saved');
  const listeners = new AbortController();
  let arrivedCount = 0;
  /** Scroll position of a reader at the top of the page, which a banner that arrived there has changed. */
  let topPosition = 0;

  function apply(response: ChangesResponse) {
    // A withdrawn update is removed at once, even while it is in use.
    const isImmediate = response.updates.some(({ article }) => isWithdrawn(article));
    const before = readBanner();
    const wasAtTop = isAtTop();
    const banner = response.sections.find(({ id }) => id === 'urgent');
    const changesBanner = banner !== undefined && !banner.isEqualNode(document.getElementById('urgent'));
    keepScrollPosition(() => {
      for (const section of response.sections) replacePart(section, isImmediate);
      for (const update of response.updates) if (list.receive(update)) arrivedCount++;
    }, changesBanner);
    if (wasAtTop) topPosition = window.scrollY;
    if (changesBanner) onBannerChange(before?.number);
    const parts = [...response.sections, ...response.updates.map(({ article }) => article)];
    if (parts.some(hasPhoto)) loadPhotos();
    if (parts.some(hasFile)) loadPlayers();
    $freshness.set({ ...$freshness.get(), state: response.state, newest: list.newestTime() });
    $held.set(list.held());
    copies.update(
      response.through,
      response.updates.map(({ article }) => article),
    );
  }

  /** Announces a new banner once, and shows its words if it is out of view. */
  function onBannerChange(before: string | undefined) {
    const banner = readBanner();
    if (banner?.number === before && banner) {
      if ($urgentBar.get()) $urgentBar.set(banner.text);
      return;
    }
    // An older urgent update returns when the newer one is withdrawn. It is not news.
    const isNew = banner !== null && Number(banner.number) > Number(before ?? 0);
    $urgentBar.set(isNew && !isBannerInView() ? banner.text : '');
    $alert.set(isNew ? messages.feed.urgent(banner.text) : '');
  }

  function onUpToDate() {
    $pauseReasons.set({ ...$pauseReasons.get(), saved: false, stale: false });
    // The page is up to date, so the note on the saved copy is hidden.
    if (savedNote && !savedNote.hidden) keepScrollPosition(() => savedNote.toggleAttribute('hidden', true));
    if (isAtTop()) insertHeld();
    if (arrivedCount > 0) $announcement.set(messages.feed.held(arrivedCount));
    arrivedCount = 0;
    $pauseReasons.setKey('ended', hasEnded($freshness.get().state));
  }

  /** At the top of the page nothing below is being read, unless it is selected. */
  const isAtTop = () =>
    (window.scrollY < 1 || window.scrollY === topPosition) &&
    page.dataset.sight !== 'below' &&
    !isSelected(listElement);

  function insertHeld(): HTMLElement | undefined {
    $held.set(0);
    return list.insertHeld();
  }

  const listen = (target: EventTarget, type: string, handler: () => void) =>
    target.addEventListener(type, handler, { signal: listeners.signal, passive: true });
  // The visibility of a frame is set by parts/frame.ts.
  const updateVisibility = () =>
    $pauseReasons.set({
      ...$pauseReasons.get(),
      hidden: document.hidden || page.dataset.sight === 'none',
      offline: !network().isOnline,
    });
  /**
   * Marks the page stale until it has checked. Hiding it for a moment restarts the check and the socket, which may be
   * dead.
   */
  const markStale = () => {
    $pauseReasons.set({ ...$pauseReasons.get(), hidden: true, stale: true });
    updateVisibility();
  };
  // Registered first, so that waking causes one check instead of two.
  const stopWatching = onWake(markStale);
  listen(document, 'visibilitychange', updateVisibility);
  // After the event, because the focus may move to another link of the same update.
  const replaceWhenUnused = () => {
    if (hasPendingParts()) requestAnimationFrame(() => keepScrollPosition(replacePendingParts));
  };
  listen(document, 'focusout', replaceWhenUnused);
  listen(document, 'selectionchange', replaceWhenUnused);
  listen(window, 'scroll', () => {
    if (window.scrollY !== topPosition) topPosition = 0;
    if ($urgentBar.get() && isBannerInView()) $urgentBar.set('');
    if ($held.get() > 0 && isAtTop()) insertHeld();
  });

  updateVisibility();
  $freshness.set({
    checked: Date.parse(page.dataset.made ?? ''),
    state,
    newest: list.newestTime(),
    every: 0,
  });
  $pauseReasons.set({ ...$pauseReasons.get(), started: true, saved: savedNote?.hidden === false });
  const onWithdrawn = () => {
    clearPage(page, messages.feed.gone);
    copies.delete();
  };
  const stops = [
    startFollowing({ page, apply, onUpToDate, onWithdrawn }),
    showHeldCount(),
    announceFeedState(clock, messages),
    stopWatching,
    onNetworkChange(updateVisibility),
    copies.stop,
    () => listeners.abort(),
  ];
  return {
    showHeld() {
      const newest = insertHeld();
      if (!newest) return;
      focusOn(newest);
      // The top of the page shows later updates at once. A phone may not have room for it.
      window.scrollTo({ top: 0, behavior: 'instant' });
      if (newest.getBoundingClientRect().top < window.innerHeight / 2) return;
      newest.scrollIntoView({ behavior: 'instant', block: 'start' });
    },
    showUrgent() {
      $urgentBar.set('');
      topPosition = 0;
      window.scrollTo({ top: 0, behavior: 'instant' });
      const banner = document.getElementById('urgent');
      if (!banner) return;
      focusOn(banner);
      banner.scrollIntoView({ behavior: 'instant', block: 'nearest' });
    },
    stop() {
      for (const stop of stops) stop();
      $pauseReasons.setKey('started', false);
    },
  };
}

const hasPhoto = (part: HTMLElement) => part.querySelector('.photo') !== null;

/** A page without photos does not load their script. If loading fails, alt texts and links stay. */
function loadPhotos(): void {
  import('./photos.ts').then(({ showPhotos }) => showPhotos()).catch(() => undefined);
}

const hasFile = (part: HTMLElement) => part.querySelector('[data-file]') !== null;

/** A page without players does not load their script. If loading fails, the link opens the file. */
function loadPlayers(): void {
  import('./players.ts').then(({ playFiles }) => playFiles()).catch(() => undefined);
}

/** Empties the page. Reloading could bring back a copy from a cache. */
function clearPage(page: HTMLElement, message: string): void {
  $pauseReasons.setKey('ended', true);
  const heading = document.createElement('h1');
  heading.textContent = message;
  document.title = message;
  page.className = 'plain';
  page.replaceChildren(heading);
  focusOn(page);
}

function requireElement(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`This page has no #${id}.`);
  return element;
}

export type SavedCopy = {
  /** The page now shows changes up to `seq`, in these articles. */
  update(seq: number, articles: HTMLElement[]): void;
  /** The coverage was withdrawn: delete all its copies. */
  delete(): void;
  stop(): void;
};

/**
 * Lets the service worker save this page: when it is registered, at once after a withdrawal or correction, otherwise
 * when the reader leaves. If the site allows no saved pages, the worker unregisters itself.
 */
export function startSavingCopy({ dataset }: HTMLElement): SavedCopy {
  const { slug } = dataset;
  const allowsSavedPages = dataset.copies !== 'off';
  let seq = Number(dataset.seq);
  let worker: ServiceWorker | null = null;
  let hasChanged = false;

  const findActiveWorker = async () => {
    // A worker that a newer one has replaced receives no messages.
    if (!worker || worker.state === 'redundant') worker = (await findWorker())?.active ?? null;
    return worker;
  };
  /** Rejected in private windows and on full devices; then nothing is saved. */
  const ignoreErrors = (work: () => Promise<unknown>) => void work().catch(() => undefined);

  const save = (more?: { deleteCoverage?: string | undefined; isFirstLoad?: boolean }) => {
    hasChanged = false;
    // On a poor connection the copy in the browser's own cache is enough.
    const pathToSave =
      network().isPoor && !more?.isFirstLoad ? undefined : location.pathname + location.search;
    worker?.postMessage({ ...more, savePath: pathToSave, seq });
  };
  const saveIfRegistered = (more?: { deleteCoverage: string | undefined }) =>
    ignoreErrors(async () => {
      if (await findActiveWorker()) save(more);
    });

  async function begin() {
    worker = await registerWorker(allowsSavedPages);
    // A page that came through the worker is already saved.
    if (!navigator.serviceWorker?.controller) save({ isFirstLoad: true });
  }
  const timer = setTimeout(() => ignoreErrors(begin), allowsSavedPages ? WORKER_DELAY_MS : 0);
  const onHide = () => {
    if (document.hidden && hasChanged && !network().isPoor) saveIfRegistered();
  };
  document.addEventListener('visibilitychange', onHide);
  ignoreErrors(findActiveWorker);

  return {
    update(now, articles) {
      if (now === seq) return;
      seq = now;
      hasChanged = true;
      if (articles.some((article) => isWithdrawn(article) || article.querySelector('.note')))
        saveIfRegistered({ deleteCoverage: slug });
    },
    delete: () => ignoreErrors(async () => (await findActiveWorker())?.postMessage({ deleteCoverage: slug })),
    stop() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onHide);
    },
  };
}
