import { isOver, type PublicState } from '../../lib/coverage/coverage.ts';
import { feed as messages } from '../../lib/text/feed.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { $announcement, $freshness, $held, $pauseReasons, $reload } from '../stores/feed.ts';
import { announceFeedState } from './announcements.ts';
import type { ChangesResponse } from './answer.ts';
import { startSavingCopy } from './copies.ts';
import { startFollowing } from './following.ts';
import { isWithdrawn, openList } from './list.ts';
import { keepScrollPosition } from './place.ts';
import { onWake } from './sleep.ts';
import { focusOn, hasPendingParts, isSelected, replacePart, replacePendingParts } from './swap.ts';
import { showHeldCount } from './title.ts';

export type Feed = {
  /** Puts the held updates in and takes the reader to the newest. */
  showHeld(): void;
  stop(): void;
};

/**
 * Follows the coverage whose page this is: what changed is put in its place, what is new is held until the reader
 * is at the head of the page or asks for it. What they read never moves.
 */
export function startFeed(clock: Clock): Feed {
  const page = requireElement('coverage');
  // A page that waits for the beginning has no list yet.
  const listElement = document.getElementById('updates') ?? document.createElement('div');
  const { build } = page.dataset;
  const state = page.dataset.state as PublicState;
  const list = openList(listElement);
  const copies = startSavingCopy(page);
  const savedNote = document.getElementById('saved');
  const listeners = new AbortController();
  let arrivedCount = 0;

  function apply(response: ChangesResponse) {
    if (response.build !== build || response.newSettings) $reload.set('newer');
    if (response.farBehind) $reload.set('lost');
    if (state === 'scheduled' && response.state !== state) $reload.set('begun');
    // What was withdrawn must go wherever it stands, even from under a reader's finger.
    const isImmediate = response.updates.some(({ article }) => isWithdrawn(article));
    keepScrollPosition(() => {
      for (const section of response.sections) replacePart(section, isImmediate);
      for (const update of response.updates) if (list.receive(update)) arrivedCount++;
    });
    if ([...response.sections, ...response.updates.map(({ article }) => article)].some(hasPhoto))
      loadPhotos();
    $freshness.set({ ...$freshness.get(), state: response.state, newest: list.newestTime() });
    $held.set(list.held());
    copies.update(
      response.through,
      response.updates.map(({ article }) => article),
    );
  }

  function onUpToDate() {
    $pauseReasons.set({ ...$pauseReasons.get(), saved: false, stale: false });
    // The page is as new as any now, and says so by its status line.
    if (savedNote && !savedNote.hidden) keepScrollPosition(() => savedNote.toggleAttribute('hidden', true));
    if (isAtTop()) insertHeld();
    if (arrivedCount > 0) $announcement.set(messages.held(arrivedCount));
    arrivedCount = 0;
    $pauseReasons.setKey('ended', isOver($freshness.get().state));
  }

  /** At the very top nothing further down is being read, unless it is selected. */
  const isAtTop = () => window.scrollY < 1 && page.dataset.sight !== 'below' && !isSelected(listElement);

  function insertHeld(): HTMLElement | undefined {
    $held.set(0);
    return list.insertHeld();
  }

  const listen = (target: EventTarget, type: string, handler: () => void) =>
    target.addEventListener(type, handler, { signal: listeners.signal, passive: true });
  // What is in sight of a frame is said by parts/frame.ts.
  const updateVisibility = () =>
    $pauseReasons.set({
      ...$pauseReasons.get(),
      hidden: document.hidden || page.dataset.sight === 'none',
      offline: !navigator.onLine,
    });
  /** What it last knew is of then: it says so until it has asked, and whatever line it had may be dead. */
  const markStale = () => {
    $pauseReasons.set({ ...$pauseReasons.get(), hidden: true, stale: true });
    updateVisibility();
  };
  // First of all: who wakes has one question, not two.
  const stopWatching = onWake(markStale);
  listen(document, 'visibilitychange', updateVisibility);
  listen(window, 'online', updateVisibility);
  listen(window, 'offline', updateVisibility);
  // After the event: the focus is on its way, perhaps only to the next link of the same update.
  const replaceWhenUnused = () => {
    if (hasPendingParts()) requestAnimationFrame(() => keepScrollPosition(replacePendingParts));
  };
  listen(document, 'focusout', replaceWhenUnused);
  listen(document, 'selectionchange', replaceWhenUnused);
  listen(window, 'scroll', () => {
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
    clearPage(page);
    copies.delete();
  };
  const stops = [
    startFollowing({ page, apply, onUpToDate, onWithdrawn }),
    showHeldCount(),
    announceFeedState(clock),
    stopWatching,
    copies.stop,
    () => listeners.abort(),
  ];
  return {
    showHeld() {
      const newest = insertHeld();
      if (!newest) return;
      focusOn(newest);
      // The top of the page is best, where what comes next comes in by itself; a phone has no room for both.
      window.scrollTo({ top: 0, behavior: 'instant' });
      if (newest.getBoundingClientRect().top < window.innerHeight / 2) return;
      newest.scrollIntoView({ behavior: 'instant', block: 'start' });
    },
    stop() {
      for (const stop of stops) stop();
      $pauseReasons.setKey('started', false);
    },
  };
}

const hasPhoto = (part: HTMLElement) => part.querySelector('.photo') !== null;

/** A page that had no photos has no script for them. Where it cannot be had, their words and addresses stand there. */
function loadPhotos(): void {
  import('../parts/show-photos.ts').then(({ showPhotos }) => showPhotos()).catch(() => undefined);
}

/** Takes everything off the page: to load it again might bring back a copy that some cache still holds. */
function clearPage(page: HTMLElement): void {
  $pauseReasons.setKey('ended', true);
  const heading = document.createElement('h1');
  heading.textContent = messages.gone;
  document.title = messages.gone;
  page.className = 'plain';
  page.replaceChildren(heading);
  focusOn(page);
}

function requireElement(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`This page has no #${id}.`);
  return element;
}
