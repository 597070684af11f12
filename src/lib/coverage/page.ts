import { readKeyEvents, readUpdatesBetween } from '../updates/read.ts';
import type { KeyEvent, ReaderUpdate } from '../updates/update.ts';
import { keyEventsPath } from './address.ts';
import type { ReaderCoverage } from './coverage.ts';
import { readKeyEventList, readPinned } from './read.ts';
import { KEY_EVENTS_PAGE, type View } from './view.ts';

/** Everything on a live page. Its rows are read after the coverage's seq: never older than the seq says. */
export type LivePage = {
  updates: ReaderUpdate[];
  /** Paths of the pages before and after this one in time. */
  older?: string;
  newer?: string;
  pinned: ReaderUpdate | null;
  keyEvents: { events: KeyEvent[]; more: boolean };
};

/** Reads what a view of a coverage shows. Summary, pinned update and key events stand on the newest page only. */
export async function readLivePage(coverage: ReaderCoverage, view: View): Promise<LivePage> {
  if (view.kind === 'newest') {
    const [updates, pinned, keyEvents] = await Promise.all([
      readUpdatesBetween(coverage.id, view.range.first, view.range.last),
      readPinned(coverage),
      readKeyEventList(coverage.id),
    ]);
    return { updates, pinned, keyEvents, older: view.older };
  }
  const bare = { pinned: null, keyEvents: { events: [], more: false } };
  if (view.kind === 'key') {
    const found = await readKeyEvents(coverage.id, view.before, KEY_EVENTS_PAGE + 1);
    const updates = found.slice(0, KEY_EVENTS_PAGE);
    const oldest = updates.at(-1);
    const older =
      found.length > KEY_EVENTS_PAGE && oldest ? keyEventsPath(coverage.slug, oldest.number) : undefined;
    return { ...bare, updates, older, newer: view.newer };
  }
  const updates = await readUpdatesBetween(coverage.id, view.range.first, view.range.last);
  if (view.kind === 'oldest') updates.reverse();
  return { ...bare, updates, older: view.older, newer: view.newer };
}
