import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { photoIds } from '../domain/body/blocks.ts';
import { atLevel, type Content, LEVELS, type Level, type Shown, type ShownUpdate } from './excerpt-levels.ts';

/** TCP's first ten segments of 1,460 bytes: what comes before the reader has answered for the first time. */
export const FIRST_ROUND_TRIP = 14_600;

/**
 * What a page weighs without its words: its head and shell, packed as the first copy is (brotli 5). This and what
 * follows was measured, by pages of one to nineteen updates; the byte budgets tell when it is no longer so.
 */
const SHELL = 8_700;
/** What the head may yet differ by (a longer name, what policies name), and what the measure errs by. */
const MARGIN = 250;
/** Where there are photos, the page knows how to show them. */
const PHOTOS = 560;
/** What the markup of a photo adds to what is told of it. */
const PER_PHOTO = 45;
/** What the list's own markup takes less than the names of an update's fields. */
const PER_UPDATE = -12;
/** Its link, and its time in words. */
const PER_EVENT = 45;
/** The second time that words are told to search engines. */
const PER_BYTE = 1.03;

/** What a page may have beside its shell: of a coverage the newest, and any other of its list, in bytes. */
export const PAGE_ROOM = FIRST_ROUND_TRIP - MARGIN - SHELL;

/** Fifty key events on a page are more than one look: they have room for three. */
export const KEY_PAGE_ROOM = 3 * PAGE_ROOM;

/** Updates that the newest page of a coverage begins with at most. */
const LONGEST_PAGE = 19;

/**
 * An answer of `changes` brings updates of a page and has the room of one for as many: so it never has to cut any
 * further than the page did. Nobody waits for its last byte to read the first.
 */
export const changesRoom = (updates: number): number =>
  PAGE_ROOM * Math.max(1, Math.ceil(updates / LONGEST_PAGE));

/**
 * As much of the content as fits into the room, by the bytes that it packs into: no words are given up that fit.
 * @param about what else the page says that is not always the same: names, headlines
 */
export async function showWithin(content: Content, about: unknown, room: number): Promise<Shown> {
  const fits = async (index: number) => {
    const shown = atLevel(content, LEVELS[index] as Level);
    return (await weigh(shown, about)) <= room ? shown : undefined;
  };
  const whole = await fits(0);
  if (whole) return whole;
  // Each level shows less than the one before it, so the first that fits is found by halves.
  let [low, high, best] = [1, LEVELS.length - 1, atLevel(content, LEVELS.at(-1) as Level)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const shown = await fits(middle);
    if (shown) [high, best] = [middle, shown];
    else low = middle + 1;
  }
  return best;
}

/** More than this is not weighed: it would take longer to parse than to fetch. In bytes, before packing. */
const NOT_WEIGHED = 150_000;

const brotli = promisify(brotliCompress);

async function weigh(shown: Shown, about: unknown): Promise<number> {
  const { summary, keyEvents } = shown;
  const updates = [...(shown.pinned ? [shown.pinned] : []), ...shown.updates].map(markedUp);
  const text = JSON.stringify([about, summary.shown, summary.folded, keyEvents.events, updates]);
  if (text.length > NOT_WEIGHED) return Number.POSITIVE_INFINITY;
  const packed = await brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const photos = updates.reduce((sum, update) => sum + update.photos.length, 0);
  const hasPhotos = shown.updates.some(({ update }) => update.photos.length > 0);
  return (
    packed.length * PER_BYTE +
    updates.length * PER_UPDATE +
    keyEvents.events.length * PER_EVENT +
    photos * PER_PHOTO +
    (hasPhotos ? PHOTOS : 0)
  );
}

/** What of an update comes to stand in the answer: of its photos those alone that its body has a place for. */
function markedUp({ update, folding }: ShownUpdate) {
  const { shown, folded } = folding;
  const placed = new Set(photoIds([...shown, ...folded]));
  return { ...update, body: [shown, folded], photos: update.photos.filter(({ id }) => placed.has(id)) };
}
