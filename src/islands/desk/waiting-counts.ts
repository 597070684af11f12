import type { WaitingMessage } from '../../lib/data/desk.ts';
import { onNetworkChange } from '../network/network.ts';
import { DESK_CHANGED } from './context.ts';

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
