import type { SaidWaiting } from '../../lib/data/desk.ts';
import { DESK_CHANGED } from '../live-feed/store.ts';

/** Between two looks. A page that nobody looks at goes on: its title is what one sees of it. */
const EVERY_MS = 20_000;

/** Changes that come together are asked about once. */
const TOGETHER_MS = 1000;

/**
 * Shows what waits for somebody, in the title and in its place, for as long as the page is open. It is announced when
 * something begins to wait, not at each. Who has no such place has nothing that waits.
 */
export function showWaiting(): void {
  const place = document.getElementById('waiting');
  const status = document.getElementById('waiting-begun');
  if (place && status) watchWaiting(place, status);
}

function watchWaiting(place: HTMLElement, status: HTMLElement): void {
  let before: number | undefined;
  let asked: ReturnType<typeof setTimeout> | undefined;

  function show({ count, lines }: SaidWaiting): void {
    document.title = withCount(document.title, count);
    place.querySelector('ul')?.replaceChildren(...lines.map(item));
    place.hidden = count === 0;
    if (count === 0) status.textContent = '';
    else if (before === 0) status.textContent = place.dataset.begun ?? '';
    before = count;
    for (const beside of document.querySelectorAll<HTMLElement>('[data-waits]')) {
      const here = lines.filter(({ coverage }) => coverage === beside.dataset.waits);
      beside.textContent = here.map(({ short }) => short).join(', ');
    }
  }

  async function look(): Promise<void> {
    clearTimeout(asked);
    try {
      const answer = await fetch('/api/waiting');
      if (answer.ok) show((await answer.json()) as SaidWaiting);
    } catch {
      // What was known stays: the desk says elsewhere that there is no line.
    }
    within(EVERY_MS);
  }

  function within(most: number): void {
    clearTimeout(asked);
    asked = setTimeout(() => void look(), most);
  }

  document.addEventListener(DESK_CHANGED, () => within(TOGETHER_MS));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void look();
  });
  window.addEventListener('online', () => void look());
  void look();
}

/** `(3) Headline · Desk`; without the number when nothing waits. */
export function withCount(title: string, count: number): string {
  const bare = title.replace(/^\(\d+\) /, '');
  return count > 0 ? `(${count}) ${bare}` : bare;
}

function item({ href, text }: SaidWaiting['lines'][number]): HTMLLIElement {
  const link = Object.assign(document.createElement('a'), { href, textContent: text });
  const item = document.createElement('li');
  item.append(link);
  return item;
}
