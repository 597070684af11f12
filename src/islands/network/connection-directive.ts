import type { ClientDirective } from 'astro';
import { hasQueuedTips } from '../tips/draft.ts';
import { network } from './network.ts';

/** How long to wait for an idle page, in milliseconds. */
const IDLE_MS = 2000;

/**
 * `client:connection`: starts an island when the browser is idle, or with `visible` when it is in view. On a poor
 * connection it starts when the reader presses `[data-follow-live]` or focuses a form. It starts at once while tips
 * wait to be sent. The code is part of each page with an island, so it is short.
 */
const connectionDirective: ClientDirective = (load, { value }, island) => {
  // Astro reports only errors of `load`, because the directive returns before the island starts.
  const start = () =>
    load()
      .then((hydrate) => hydrate())
      .catch(() => island.dispatchEvent(new Event('astro:hydration-error')));
  if (value === 'visible' && hasQueuedTips()) start();
  else if (network().isPoor) offerButton(island, start);
  else if (value === 'visible') startWhenVisible(island, start);
  else if ('requestIdleCallback' in window) requestIdleCallback(start, { timeout: IDLE_MS });
  else setTimeout(start);
  // A newer build may have replaced the island's files. The existing link reloads the page and now says why.
  island.addEventListener('astro:hydration-error', () => {
    const link = island.querySelector<HTMLElement>('[data-again]');
    island.querySelector('[data-follow-live]')?.remove();
    // An island without the link may be a form. A reload could discard its text.
    if (!link) return;
    link.textContent = link.dataset.again ?? '';
    // A saved copy in a browser that keeps no scripts: a failed import is not tried again within a page.
    addEventListener('online', () => location.reload());
  });
};

function startWhenVisible(island: HTMLElement, start: () => void): void {
  // A busy browser reports several changes at once.
  const observer = new IntersectionObserver((changes) => {
    if (!changes.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    start();
  });
  // The island element itself has no box.
  const box = island.querySelector('p,div');
  if (box) observer.observe(box);
}

function offerButton(island: HTMLElement, start: () => void): void {
  const button = island.querySelector<HTMLElement>('[data-follow-live]');
  // A form without the button starts when it is used.
  if (!button) return void island.addEventListener('focusin', start, { once: true });
  button.hidden = false;
  button.addEventListener(
    'click',
    () => {
      button.textContent = button.dataset.followLive ?? '';
      button.ariaDisabled = 'true';
      // The replacement of the button gets its focus.
      new MutationObserver((_, observer) => {
        if (button.isConnected) return;
        observer.disconnect();
        if (document.activeElement === document.body) island.querySelector<HTMLElement>('button, a')?.focus();
      }).observe(island, { childList: true, subtree: true });
      start();
    },
    { once: true },
  );
}

export default connectionDirective;
