import { serverBridge } from '../data/server-bridge.ts';
import { type Body, photoIds, placesOf, shorten } from '../domain/body/blocks.ts';
import { FOLD_AFTER, type FoldedBody, fold, omittedFrom, truncateBody } from '../domain/body/fold.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import type { KeyEvent, ReaderUpdate, UpdateNote } from '../domain/updates.ts';
import { brotliText, FIRST_ROUND_TRIP } from './brotli.server.ts';

/** Limits on how much of long content a page shows. */
type ExcerptLimits = {
  /** Maximum number of characters of each text. */
  characters: number;
  /** Whether the rest of updates and summary is folded below them. */
  folds?: true;
  /** Maximum number of key events. */
  events: number;
  /** Whether to leave out the byline, dateline, source and time of updates. Their own pages show them. */
  bare?: true;
};

/** Complete texts, with the rest of long ones folded. */
export const FOLDED: ExcerptLimits = { characters: FOLD_AFTER, folds: true, events: 10 };

/** Minimum length of an excerpt that still says what happened. */
export const MIN_EXCERPT = 22;

/** Returns the limits for excerpts of this length. Very short ones go with fewer key events and details. */
export const excerptsOf = (characters: number): ExcerptLimits => ({
  characters,
  events: characters > 220 ? 10 : characters > 160 ? 7 : characters > 100 ? 5 : 3,
  ...(characters <= 80 && { bare: true }),
});

/** Longer updates are cut here, and not folded. */
const LONGEST_EXCERPTS = excerptsOf(FOLD_AFTER);

/** Everything unfolded, for pages whose size is not limited. */
export const UNLIMITED: ExcerptLimits = {
  characters: Number.POSITIVE_INFINITY,
  folds: true,
  events: Number.POSITIVE_INFINITY,
};

/** Content of a page or changes response. */
export type Content = {
  updates: ReaderUpdate[];
  /** The update of the urgent banner. */
  urgent?: ReaderUpdate | null;
  summary: Body;
  pinned: ReaderUpdate | null;
  keyEvents: { events: KeyEvent[]; more: boolean };
  leadPhoto?: ReaderPhoto | null;
};

/** An update as a list shows it. */
export type ShownUpdate = { update: ReaderUpdate; folding: FoldedBody };

/** Shortened content. */
export type Shown = {
  updates: ShownUpdate[];
  urgent: ShownUpdate | null;
  summary: FoldedBody;
  pinned: ShownUpdate | null;
  keyEvents: { events: KeyEvent[]; more: boolean };
};

/** Returns the bodies that a page shows, with their folded parts. The banner shows no photos and players. */
export const bodiesShown = ({ updates, summary, pinned }: Shown): Body[] =>
  [summary, pinned?.folding, ...updates.map(({ folding }) => folding)].flatMap((folding) =>
    folding ? [folding.shown, folding.folded] : [],
  );

/**
 * Shortens the content.
 * @param complete number of updates at the start of the list that have longer excerpts: their photos, tables and other
 * blocks are what readers see first
 */
export function withinLimits(content: Content, limits: ExcerptLimits, complete = 0): Shown {
  const { updates, urgent, summary, pinned, keyEvents } = content;
  return {
    updates: updates.map((update, index) => updateAt(update, index < complete ? LONGEST_EXCERPTS : limits)),
    urgent: urgent ? bannerAt(urgent, limits) : null,
    summary: bodyAt(summary, limits),
    // The pinned update is in the list too. At the top only its beginning is shown, with a link.
    pinned: pinned && updateAt(pinned, { ...limits, folds: undefined }),
    keyEvents: {
      events: keyEvents.events.slice(0, limits.events).map((event) => lineAt(event, limits)),
      more: keyEvents.more || keyEvents.events.length > limits.events,
    },
  };
}

const bodyAt = (body: Body, { characters, folds }: ExcerptLimits): FoldedBody =>
  folds ? { ...fold(body, characters), more: false } : { ...truncateBody(body, characters), folded: [] };

function updateAt(update: ReaderUpdate, limits: ExcerptLimits): ShownUpdate {
  const { characters, folds, bare } = limits;
  const { body, headline, notes, withdrawn_reason } = update;
  const excerpt = bodyAt(body, limits);
  if (folds) return { update, folding: excerpt };
  const kept = notesWithin(notes, characters);
  const reason = withdrawn_reason && shorten(withdrawn_reason, characters);
  const line = headline && shorten(headline, Math.max(characters, MIN_LINE));
  const isComplete = kept === notes && reason === withdrawn_reason && line === headline && !bare;
  return {
    update: {
      ...update,
      ...(bare ? WITHOUT_DETAILS : {}),
      headline: line,
      notes: kept,
      withdrawn_reason: reason,
    },
    folding: { ...excerpt, more: excerpt.more || !isComplete, omitted: omittedOf(update, excerpt.shown) },
  };
}

/** Returns what an excerpt of an update leaves out besides text. Only the photos that readers can see count. */
function omittedOf({ body, photos }: ReaderUpdate, shown: Body) {
  const ready = new Set(photos.map(({ id }) => id));
  return omittedFrom(
    body.filter((block) => block.type !== 'photo' || ready.has(block.photo)),
    shown,
  );
}

/** A longer banner would push the newest update off the first screen of a phone. */
const BANNER_LENGTH = 240;

/** Returns the text of an urgent update as its banner shows it: without photos, and its beginning if it is long. */
function bannerAt(update: ReaderUpdate, { characters }: ExcerptLimits): ShownUpdate {
  const text = update.body.filter(({ type }) => type !== 'photo');
  const excerpt = truncateBody(text, Math.min(characters, BANNER_LENGTH));
  const more = excerpt.more || text.length < update.body.length;
  const omitted = omittedOf(update, excerpt.shown);
  return { update: { ...update, photos: [] }, folding: { ...excerpt, folded: [], more, omitted } };
}

const lineAt = (event: KeyEvent, { characters }: ExcerptLimits): KeyEvent => ({
  ...event,
  line: shorten(event.line, Math.max(characters, MIN_LINE)),
});

/** Minimum number of characters of a headline. */
const MIN_LINE = 20;

const WITHOUT_DETAILS = { bylines: [], dateline: null, attribution: null, occurred_at: null };

/**
 * Keeps the newest notes and shortens the last of them. At least one is kept, so that corrections are always visible.
 */
function notesWithin(notes: UpdateNote[], characters: number): UpdateNote[] {
  let room = characters;
  const kept: UpdateNote[] = [];
  for (const note of notes.toReversed()) {
    const text = shorten(note.note, Math.max(room, MIN_NOTE));
    kept.unshift(text === note.note ? note : { ...note, note: text });
    room -= [...note.note].length;
    if (room <= 0) break;
  }
  return kept.length === notes.length && kept.every((note, index) => note === notes[index]) ? notes : kept;
}

/** Minimum number of characters of a note. */
const MIN_NOTE = 25;

/**
 * Compressed size of a page without its content (brotli 5). The constants were measured on pages with 1 to 19
 * updates. The byte budgets in the tests fail when they are outdated.
 */
const SHELL = 10_425;
/** Reserve for longer headers and for the error of the estimate. */
const MARGIN = 250;
/** Additional bytes of a page with photos. */
const PHOTOS = 560;
/** Markup of a photo, in addition to its data. */
const PER_PHOTO = 45;
/** Additional bytes of a page with players. */
const PLAYERS = 460;
/** Markup of a player, in addition to its data. */
const PER_PLAYER = 120;
/** The markup of an update is smaller than the field names in the estimate. */
const PER_UPDATE = -4;
/** Addresses and coordinates of a map, in addition to its data. */
const PER_MAP = 60;
/** The same with its picture. */
const PER_DRAWN_MAP = 150;
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

/** The search ends when the shortest length that does not fit is at most this factor above the best one. */
const PRECISION = 1.1;

/** Part of the length that all updates could have, which all keep. The first ones of the list get the rest. */
const SHARE_OF_ALL = 0.8;

/**
 * Returns as much of the content as fits into `room` bytes after compression. All updates are shortened to the same
 * length. If that leaves out photos, tables or other blocks, the length is shorter, and as many updates as possible at
 * the start of the list are complete.
 * @param about other variable texts of the page, such as names and headlines
 */
export async function showWithin(content: Content, about: unknown, room: number): Promise<Shown> {
  const fits = async (limits: ExcerptLimits, complete = 0) => {
    const shown = withinLimits(content, limits, complete);
    return (await weigh(shown, content.leadPhoto, about)) <= room ? shown : undefined;
  };
  const longest = (await fits(FOLDED)) ?? (await fits(LONGEST_EXCERPTS));
  if (longest) return longest;
  let [low, high, best] = [MIN_EXCERPT, FOLD_AFTER, withinLimits(content, excerptsOf(MIN_EXCERPT))];
  while (high > low * PRECISION) {
    const middle = Math.round(Math.sqrt(low * high));
    const shown = await fits(excerptsOf(middle));
    if (shown) [low, best] = [middle, shown];
    else high = middle;
  }
  if (!best.updates.some(({ folding }) => folding.omitted?.length)) return best;
  const rest = { ...excerptsOf(low), characters: Math.max(MIN_EXCERPT, Math.round(low * SHARE_OF_ALL)) };
  let [complete, tooMany] = [0, content.updates.length + 1];
  while (tooMany > complete + 1) {
    const middle = (complete + tooMany) >> 1;
    const shown = await fits(rest, middle);
    if (shown) [complete, best] = [middle, shown];
    else tooMany = middle;
  }
  return best;
}

/** Content with more bytes before compression is assumed not to fit, because it takes long to compress. */
const NOT_WEIGHED = 150_000;

async function weigh(shown: Shown, leadPhoto: Content['leadPhoto'], about: unknown): Promise<number> {
  const { summary, keyEvents } = shown;
  const parts = [shown.urgent, shown.pinned, ...shown.updates];
  const updates = parts.flatMap((part) => (part ? [markedUp(part)] : []));
  const text = JSON.stringify([about, leadPhoto, summary.shown, summary.folded, keyEvents.events, updates]);
  if (text.length > NOT_WEIGHED) return Number.POSITIVE_INFINITY;
  const packed = await brotliText(text, 5);
  const photos = updates.reduce((sum, update) => sum + update.photos.length, leadPhoto ? 1 : 0);
  const blocks = bodiesShown(shown).flat();
  const maps = placesOf(blocks).length;
  const players = blocks.filter(({ type }) => type === 'media').length;
  const hasDrawnMaps = maps > 0 && serverBridge.basemap !== undefined;
  const hasPhotos =
    Boolean(leadPhoto) || hasDrawnMaps || shown.updates.some(({ update }) => update.photos.length > 0);
  return (
    packed.length * PER_BYTE +
    updates.length * PER_UPDATE +
    keyEvents.events.length * PER_EVENT +
    photos * PER_PHOTO +
    maps * (hasDrawnMaps ? PER_DRAWN_MAP : PER_MAP) +
    (hasPhotos ? PHOTOS : 0) +
    players * PER_PLAYER +
    (players > 0 ? PLAYERS : 0)
  );
}

/** Only photos that the body mentions are rendered. */
function markedUp({ update, folding }: ShownUpdate) {
  const { shown, folded } = folding;
  const placed = new Set(photoIds([...shown, ...folded]));
  return { ...update, body: [shown, folded], photos: update.photos.filter(({ id }) => placed.has(id)) };
}
