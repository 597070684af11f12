import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { photoIds } from '../domain/body/blocks.ts';
import { atLevel, type Content, LEVELS, type Level, type Shown, type ShownUpdate } from './excerpt-levels.ts';

/** Bytes of TCP's initial window: ten segments of 1,460 bytes, sent before the first acknowledgement. */
export const FIRST_ROUND_TRIP = 14_600;

/**
 * Compressed size of a page without its content (brotli 5). The constants were measured on pages with 1 to 19
 * updates. The byte budgets in the tests fail when they are outdated.
 */
const SHELL = 8_700;
/** Reserve for longer headers and for the error of the estimate. */
const MARGIN = 250;
/** Additional bytes of a page with photos. */
const PHOTOS = 560;
/** Markup of a photo, in addition to its data. */
const PER_PHOTO = 45;
/** The markup of an update is smaller than the field names in the estimate. */
const PER_UPDATE = -12;
/** Link and time of a key event. */
const PER_EVENT = 45;
/** Factor for the text that is repeated as structured data. */
const PER_BYTE = 1.03;

/** Bytes available for the content of a page. */
export const PAGE_ROOM = FIRST_ROUND_TRIP - MARGIN - SHELL;

/** Bytes for a page of 50 key events, which readers scroll through. */
export const KEY_PAGE_ROOM = 3 * PAGE_ROOM;

/** Maximum number of updates on the newest page. */
const LONGEST_PAGE = 19;

/**
 * Returns the bytes available for a changes response: those of one page for each 19 updates, so that it never
 * shortens more than the page did.
 */
export const changesRoom = (updates: number): number =>
  PAGE_ROOM * Math.max(1, Math.ceil(updates / LONGEST_PAGE));

/**
 * Returns as much of the content as fits into `room` bytes after compression.
 * @param about other variable texts of the page, such as names and headlines
 */
export async function showWithin(content: Content, about: unknown, room: number): Promise<Shown> {
  const fits = async (index: number) => {
    const shown = atLevel(content, LEVELS[index] as Level);
    return (await weigh(shown, about)) <= room ? shown : undefined;
  };
  const whole = await fits(0);
  if (whole) return whole;
  // Each level shows less than the one before it, so a binary search finds the first that fits.
  let [low, high, best] = [1, LEVELS.length - 1, atLevel(content, LEVELS.at(-1) as Level)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const shown = await fits(middle);
    if (shown) [high, best] = [middle, shown];
    else low = middle + 1;
  }
  return best;
}

/** Content with more bytes before compression is assumed not to fit, because it takes long to compress. */
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

/** Only photos that the body mentions are rendered. */
function markedUp({ update, folding }: ShownUpdate) {
  const { shown, folded } = folding;
  const placed = new Set(photoIds([...shown, ...folded]));
  return { ...update, body: [shown, folded], photos: update.photos.filter(({ id }) => placed.has(id)) };
}
