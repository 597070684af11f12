import { isOver, type PublicState } from '../../lib/coverage/coverage.ts';
import { feed as words } from '../../lib/text/feed.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { $freshness, $held, $hindrance, $reload, $said } from '../stores/feed.ts';
import { announceLine } from './announcements.ts';
import type { Answer } from './answer.ts';
import { keepCopies } from './copies.ts';
import { keepFollowing } from './following.ts';
import { isWithdrawn, openList } from './list.ts';
import { keepPlace } from './place.ts';
import { watchSleep } from './sleep.ts';
import { focusOn, isSelected, isWaiting, swap, swapWaiting } from './swap.ts';
import { showCount } from './title.ts';

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
  const page = need('coverage');
  // A page that waits for the beginning has no list yet.
  const place = document.getElementById('updates') ?? document.createElement('div');
  const { build } = page.dataset;
  const state = page.dataset.state as PublicState;
  const list = openList(place);
  const copies = keepCopies(page);
  const mark = document.getElementById('saved');
  const listening = new AbortController();
  let arrived = 0;

  function take(answer: Answer) {
    if (answer.build !== build || answer.newSettings) $reload.set('newer');
    if (answer.farBehind) $reload.set('lost');
    if (state === 'scheduled' && answer.state !== state) $reload.set('begun');
    // What was withdrawn must go wherever it stands, even from under a reader's finger.
    const atOnce = answer.updates.some(({ article }) => isWithdrawn(article));
    keepPlace(() => {
      for (const section of answer.sections) swap(section, atOnce);
      for (const update of answer.updates) if (list.receive(update)) arrived++;
    });
    if ([...answer.sections, ...answer.updates.map(({ article }) => article)].some(hasPhoto)) loadPhotos();
    $freshness.set({ ...$freshness.get(), state: answer.state, newest: list.newestTime() });
    $held.set(list.held());
    copies.moved(
      answer.through,
      answer.updates.map(({ article }) => article),
    );
  }

  function settled() {
    $hindrance.set({ ...$hindrance.get(), saved: false, stale: false });
    // The page is as new as any now, and says so by its status line.
    if (mark && !mark.hidden) keepPlace(() => mark.toggleAttribute('hidden', true));
    if (isAtTop()) putIn();
    if (arrived > 0) $said.set(words.held(arrived));
    arrived = 0;
    $hindrance.setKey('ended', isOver($freshness.get().state));
  }

  /** At the very top nothing further down is being read, unless it is selected. */
  const isAtTop = () => window.scrollY < 1 && page.dataset.sight !== 'below' && !isSelected(place);

  function putIn(): HTMLElement | undefined {
    $held.set(0);
    return list.putIn();
  }

  const listen = (target: EventTarget, type: string, act: () => void) =>
    target.addEventListener(type, act, { signal: listening.signal, passive: true });
  // What is in sight of a frame is said by parts/frame.ts.
  const look = () =>
    $hindrance.set({
      ...$hindrance.get(),
      hidden: document.hidden || page.dataset.sight === 'none',
      offline: !navigator.onLine,
    });
  /** What it last knew is of then: it says so until it has asked, and whatever line it had may be dead. */
  const wake = () => {
    $hindrance.set({ ...$hindrance.get(), hidden: true, stale: true });
    look();
  };
  // First of all: who wakes has one question, not two.
  const stopWatching = watchSleep(wake);
  listen(document, 'visibilitychange', look);
  listen(window, 'online', look);
  listen(window, 'offline', look);
  // After the event: the focus is on its way, perhaps only to the next link of the same update.
  const leave = () => {
    if (isWaiting()) requestAnimationFrame(() => keepPlace(swapWaiting));
  };
  listen(document, 'focusout', leave);
  listen(document, 'selectionchange', leave);
  listen(window, 'scroll', () => {
    if ($held.get() > 0 && isAtTop()) putIn();
  });

  look();
  $freshness.set({
    checked: Date.parse(page.dataset.made ?? ''),
    state,
    newest: list.newestTime(),
    every: 0,
  });
  $hindrance.set({ ...$hindrance.get(), started: true, saved: mark?.hidden === false });
  const gone = () => {
    clear(page);
    copies.gone();
  };
  const stops = [
    keepFollowing({ page, take, settled, gone }),
    showCount(),
    announceLine(clock),
    stopWatching,
    copies.stop,
    () => listening.abort(),
  ];
  return {
    showHeld() {
      const newest = putIn();
      if (!newest) return;
      focusOn(newest);
      // The top of the page is best, where what comes next comes in by itself; a phone has no room for both.
      window.scrollTo({ top: 0, behavior: 'instant' });
      if (newest.getBoundingClientRect().top < window.innerHeight / 2) return;
      newest.scrollIntoView({ behavior: 'instant', block: 'start' });
    },
    stop() {
      for (const stop of stops) stop();
      $hindrance.setKey('started', false);
    },
  };
}

const hasPhoto = (part: HTMLElement) => part.querySelector('.photo') !== null;

/** A page that had no photos has no script for them. Where it cannot be had, their words and addresses stand there. */
function loadPhotos(): void {
  import('../parts/show-photos.ts').then(({ showPhotos }) => showPhotos()).catch(() => undefined);
}

/** Takes everything off the page: to load it again might bring back a copy that some cache still holds. */
function clear(page: HTMLElement): void {
  $hindrance.setKey('ended', true);
  const told = document.createElement('h1');
  told.textContent = words.gone;
  document.title = words.gone;
  page.className = 'plain';
  page.replaceChildren(told);
  focusOn(page);
}

function need(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`This page has no #${id}.`);
  return found;
}
