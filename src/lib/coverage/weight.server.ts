import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { photoIds } from '../body/blocks.ts';
import { atLevel, type Content, LEVELS, type Level, type Shown, type ShownUpdate } from './levels.ts';

/**
 * How many bytes an answer may have, head and body as they are sent. A page is kept to `aim` while updates keep their
 * first `GENTLE` characters; what is still too much then may go up to `most`.
 */
export type Room = { aim: number; most: number };

/** TCP's first ten segments of 1,460 bytes: what comes before the reader has answered for the first time. */
export const FIRST_ROUND_TRIP = 14_600;

/**
 * What a page is kept to where that costs few words: nineteen updates of 95 words are whole in it, and it leaves room
 * for what follows the words.
 */
const LIGHT = 12_800;

/** Characters of an update that are not given up for lightness alone: some 70 words. */
const GENTLE = 400;

/**
 * What a page weighs without its words: its head and shell, packed as the first copy is (brotli 5). Measured; the
 * byte budgets tell when it is no longer so.
 */
const SHELL = 6_650;
/** What the list's own markup adds to each update: its time, its link, what search engines are told of it. */
const PER_UPDATE = 75;
/** What the markup of a photo adds to what is told of it. */
const PER_PHOTO = 45;
/** Markup, and the second time that words are told to search engines, beside the words themselves. */
const PER_BYTE = 1.12;

/** The newest page of a coverage, and any other page of its list. */
export const PAGE_ROOM: Room = { aim: LIGHT - SHELL, most: FIRST_ROUND_TRIP - 300 - SHELL };

/** Fifty key events on a page are more than one look: they have room for three. */
export const KEY_PAGE_ROOM: Room = { aim: 3 * PAGE_ROOM.aim, most: 3 * PAGE_ROOM.most };

/** Each part of an answer of `changes` may weigh as much as some 250 words, all of them as much as a page. */
export function changesRoom(parts: number): Room {
  const most = Math.min(1_000 * parts, PAGE_ROOM.most);
  return { aim: most, most };
}

/**
 * As much of the content as fits into the room, by the bytes that it packs into.
 * @param about what else the page says that is not always the same: names, headlines
 */
export async function showWithin(content: Content, about: unknown, { aim, most }: Room): Promise<Shown> {
  const weights: number[] = [];
  for (const room of [aim, most]) {
    for (const [index, level] of LEVELS.entries()) {
      if (room === aim && level.characters < GENTLE) break;
      const shown = atLevel(content, level);
      weights[index] ??= await weigh(shown, about);
      if (weights[index] <= room) return shown;
    }
  }
  return atLevel(content, LEVELS.at(-1) as Level);
}

/** More than this is not weighed: it would take longer to parse than to fetch. In bytes, before packing. */
const NOT_WEIGHED = 150_000;

const brotli = promisify(brotliCompress);

async function weigh(shown: Shown, about: unknown): Promise<number> {
  const { summary, keyEvents } = shown;
  const updates = [...(shown.pinned ? [shown.pinned] : []), ...shown.updates].map(markedUp);
  const text = JSON.stringify([about, summary.shown, keyEvents.events, updates]);
  if (text.length > NOT_WEIGHED) return Number.POSITIVE_INFINITY;
  const packed = await brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const photos = updates.reduce((sum, update) => sum + update.photos.length, 0);
  return packed.length * PER_BYTE + updates.length * PER_UPDATE + photos * PER_PHOTO;
}

/** What of an update comes to stand in the answer: of its photos those alone that its body has a place for. */
function markedUp({ update, folding }: ShownUpdate) {
  const { shown, folded } = folding;
  const placed = new Set(photoIds([...shown, ...folded]));
  return { ...update, body: [shown, folded], photos: update.photos.filter(({ id }) => placed.has(id)) };
}
