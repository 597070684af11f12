import type { PublicState } from '../../lib/coverage/coverage.ts';
import type { Update } from './list.ts';

/** An answer of `changes`, read out of its markup. */
export type Answer = {
  /** When it was made, by the site's clock: that of a phone may be wrong. In milliseconds. */
  at: number;
  /** The last change that it tells of: where the next question begins. */
  through: number;
  more: boolean;
  /** Too much has changed to be told: the page itself is the answer. */
  farBehind: boolean;
  build: string;
  /** The page itself is made differently now: its headline, its zone. */
  newSettings: boolean;
  /** Seconds between checks. */
  interval: number;
  state: PublicState;
  updates: Update[];
  /** Parts of the page outside the list, each whole, to stand in for the one with its id. */
  sections: HTMLElement[];
};

/**
 * Asks a coverage what changed since `after`. Rejects when there is no good answer; `gone` when the coverage
 * was withdrawn.
 */
export async function ask(slug: string, after: number): Promise<Answer | 'gone'> {
  // The answer is the same for everybody, so nothing of this reader goes along.
  const response = await fetch(`/live/${slug}/changes?after=${after}`, {
    credentials: 'omit',
    signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
  });
  if (response.status === 410) return 'gone';
  if (!response.ok) throw new Error(`${response.status}`);
  const at = Date.parse(response.headers.get('date') ?? '') || Date.now();
  return { at, ...read(await response.text()) };
}

/** A slow line takes seconds for a few KB; a dead one should be known before the next check. */
const LONGEST_ANSWER_MS = 25_000;

function read(html: string): Omit<Answer, 'at'> {
  const root = new DOMParser()
    .parseFromString(html, 'text/html')
    .querySelector<HTMLElement>('[data-changes]');
  const data = root?.dataset ?? {};
  const through = Number(data.through);
  const interval = Number(data.interval);
  // A hotel's sign-in page also answers 200.
  if (!root || !(through >= 0 && interval >= 1)) throw new Error('not an answer');
  return {
    through,
    more: data.more === 'true',
    farBehind: data.reload === 'true',
    build: data.build ?? '',
    newSettings: data.settings === 'true',
    interval,
    state: data.state as PublicState,
    updates: readUpdates(root),
    sections: [...root.querySelectorAll<HTMLElement>(':scope > section')],
  };
}

/** Updates stand under the headings of their days, as on the page. */
function readUpdates(root: HTMLElement): Update[] {
  let day: HTMLElement | undefined;
  const updates: Update[] = [];
  for (const element of root.querySelectorAll<HTMLElement>(':scope > .day, :scope > article')) {
    if (element.matches('article')) updates.push({ article: element, day });
    else day = element;
  }
  return updates;
}
