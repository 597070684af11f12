import { type Body, shorten } from '../domain/body/blocks.ts';
import { FOLD_AFTER, type FoldedBody, fold, truncateBody } from '../domain/body/fold.ts';
import type { KeyEvent, ReaderUpdate, UpdateNote } from '../domain/updates.ts';

/** Limits on how much of long content a page shows. */
export type Level = {
  /** Maximum number of characters of each text. */
  characters: number;
  /** Whether the rest of updates and summary is folded below them. */
  folds?: true;
  /** Maximum number of key events. */
  events: number;
  /** Whether to leave out the byline, dateline, source and time of updates. Their own pages show them. */
  bare?: true;
};

/** From complete to the shortest that still says what happened and when. */
export const LEVELS: readonly [Level, ...Level[]] = [
  { characters: FOLD_AFTER, folds: true, events: 10 },
  { characters: FOLD_AFTER, events: 10 },
  { characters: 1350, events: 10 },
  { characters: 1200, events: 10 },
  { characters: 1100, events: 10 },
  { characters: 1000, events: 10 },
  { characters: 900, events: 10 },
  { characters: 800, events: 10 },
  { characters: 700, events: 10 },
  { characters: 650, events: 10 },
  { characters: 600, events: 10 },
  { characters: 550, events: 10 },
  { characters: 500, events: 10 },
  { characters: 450, events: 10 },
  { characters: 400, events: 10 },
  { characters: 350, events: 10 },
  { characters: 300, events: 10 },
  { characters: 260, events: 10 },
  { characters: 220, events: 7 },
  { characters: 190, events: 7 },
  { characters: 160, events: 5 },
  { characters: 120, events: 5 },
  { characters: 100, events: 3 },
  { characters: 80, events: 3, bare: true },
  { characters: 50, events: 3, bare: true },
  { characters: 25, events: 3, bare: true },
];

/** Everything unfolded, for pages whose size is not limited. */
export const WHOLE: Level = {
  characters: Number.POSITIVE_INFINITY,
  folds: true,
  events: Number.POSITIVE_INFINITY,
};

/** Content of a page or changes response. */
export type Content = {
  updates: ReaderUpdate[];
  summary: Body;
  pinned: ReaderUpdate | null;
  keyEvents: { events: KeyEvent[]; more: boolean };
};

/** An update as a list shows it. */
export type ShownUpdate = { update: ReaderUpdate; folding: FoldedBody };

/** Shortened content. */
export type Shown = {
  updates: ShownUpdate[];
  summary: FoldedBody;
  pinned: ShownUpdate | null;
  keyEvents: { events: KeyEvent[]; more: boolean };
};

/** Shortens the content to a level. */
export function atLevel(content: Content, level: Level): Shown {
  const { updates, summary, pinned, keyEvents } = content;
  return {
    updates: updates.map((update) => updateAt(update, level)),
    summary: bodyAt(summary, level),
    // The pinned update is in the list too. At the top only its beginning is shown, with a link.
    pinned: pinned && updateAt(pinned, { ...level, folds: undefined }),
    keyEvents: {
      events: keyEvents.events.slice(0, level.events).map((event) => lineAt(event, level)),
      more: keyEvents.more || keyEvents.events.length > level.events,
    },
  };
}

const bodyAt = (body: Body, { characters, folds }: Level): FoldedBody =>
  folds ? { ...fold(body, characters), more: false } : { ...truncateBody(body, characters), folded: [] };

function updateAt(update: ReaderUpdate, level: Level): ShownUpdate {
  const { characters, folds, bare } = level;
  const { body, headline, notes, withdrawn_reason } = update;
  const begun = bodyAt(body, level);
  if (folds) return { update, folding: begun };
  const kept = notesWithin(notes, characters);
  const reason = withdrawn_reason && shorten(withdrawn_reason, characters);
  const line = headline && shorten(headline, Math.max(characters, LEAST_LINE));
  const isWhole = kept === notes && reason === withdrawn_reason && line === headline && !bare;
  return {
    update: { ...update, ...(bare ? UNSIGNED : {}), headline: line, notes: kept, withdrawn_reason: reason },
    folding: { ...begun, more: begun.more || !isWhole },
  };
}

const lineAt = (event: KeyEvent, { characters }: Level): KeyEvent => ({
  ...event,
  line: shorten(event.line, Math.max(characters, LEAST_LINE)),
});

/** Minimum number of characters of a headline. */
const LEAST_LINE = 40;

const UNSIGNED = { bylines: [], dateline: null, attribution: null, occurred_at: null };

/**
 * Keeps the newest notes and shortens the last of them. At least one is kept, so that corrections are always visible.
 */
function notesWithin(notes: UpdateNote[], characters: number): UpdateNote[] {
  let room = characters;
  const kept: UpdateNote[] = [];
  for (const note of notes.toReversed()) {
    const text = shorten(note.note, Math.max(room, LEAST_NOTE));
    kept.unshift(text === note.note ? note : { ...note, note: text });
    room -= [...note.note].length;
    if (room <= 0) break;
  }
  return kept.length === notes.length && kept.every((note, index) => note === notes[index]) ? notes : kept;
}

/** Minimum number of characters of a note. */
const LEAST_NOTE = 25;
