import type { ClientDirective } from 'astro';
import { isPoorConnection } from './line.ts';
import { doTipsWait } from './tips-wait.ts';

/** How long a page that never comes to rest is waited for. */
const IDLE_MS = 2000;

/**
 * `client:connection`: an island starts by itself on a good line, when the browser is idle, or (`visible`) when it is seen.
 * On a poor one nothing is fetched for it until its reader presses `[data-follow-live]`, or writes in it where it is a form; and what
 * was pressed here before and has not arrived is sent on at once, however the line is. This stands in each page
 * that has such an island, so it is as short as can be.
 */
const connectionDirective: ClientDirective = (load, { value }, island) => {
  const start = () => load().then((hydrate) => hydrate());
  if (value === 'visible' && doTipsWait()) start();
  else if (isPoorConnection()) offerButton(island, start);
  else if (value === 'visible') startWhenVisible(island, start);
  else if ('requestIdleCallback' in window) requestIdleCallback(start, { timeout: IDLE_MS });
  else setTimeout(start);
  // Its files may have gone with an older build: the link that is there loads the page anew, and now says why.
  island.addEventListener('astro:hydration-error', () => {
    const link = island.querySelector<HTMLElement>('[data-again]');
    if (link) link.textContent = link.dataset.again ?? '';
    island.querySelector('[data-follow-live]')?.remove();
  });
};

function startWhenVisible(island: HTMLElement, start: () => void): void {
  const observer = new IntersectionObserver(([first]) => {
    if (!first?.isIntersecting) return;
    observer.disconnect();
    start();
  });
  // The island itself has no box, nor has what stands around the markup between its tags.
  const box = island.querySelector('p,div');
  if (box) observer.observe(box);
}

function offerButton(island: HTMLElement, start: () => void): void {
  const button = island.querySelector<HTMLElement>('[data-follow-live]');
  // A form works without it; whoever writes in one is worth it.
  if (!button) return void island.addEventListener('focusin', start, { once: true });
  button.hidden = false;
  button.addEventListener(
    'click',
    () => {
      button.textContent = button.dataset.followLive ?? '';
      button.ariaDisabled = 'true';
      // What comes in its place gets the focus that it had.
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
