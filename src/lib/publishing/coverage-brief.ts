import { siteUrl } from '../data/environment.ts';
import type { Site } from '../data/site.ts';
import { readUpdatesBetween, readUrgentUpdates } from '../data/updates.ts';
import { type Block, type Body, postAuthor, type Table, textOf } from '../domain/body/blocks.ts';
import { livePath } from '../domain/coverages.ts';
import { byteLength, ELLIPSIS, makeCutter, plainLine } from '../domain/cut-text.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import { hasEnded, type ReaderCoverage } from '../domain/reader-coverage.ts';
import { type Clock, clockTime, dayAndTime, dayName, shortTime, zoneName } from '../domain/time.ts';
import type { ReaderUpdate } from '../domain/updates.ts';
import type { Messages } from '../i18n/messages.ts';

/** Maximum size of a brief as plain text, in bytes of UTF-8. */
export const BRIEF_BYTES = 1_500;

/** Number of newest updates in a brief. */
const NEWEST = 5;

/** Maximum number of urgent updates in a brief. */
const MAX_URGENT = 5;

/** How long an urgent update stays in a brief when a newer one exists, in milliseconds. */
const URGENT_MS = 24 * 60 * 60 * 1000;

/** Bytes that each text keeps at least. If they do not fit, the oldest updates are left out. */
const MIN_TEXT = 24;

/** The same for the beginning of an urgent update without a headline. */
const MIN_URGENT = 160;

/** The same for the headline of the coverage, if it must be cut. */
const MIN_HEADLINE = 120;

/** Texts of the summary and of urgent updates may be this many times as long as those of other updates. */
const IMPORTANT = 2;

/** The updates of a brief, newest first. */
type BriefContent = {
  /** Urgent updates of a coverage that has not ended. */
  urgent: ReaderUpdate[];
  /** The newest updates, withdrawn ones included. */
  newest: ReaderUpdate[];
};

/** Everything that a brief is made from. `messages` are in the language of the coverage, if it is supported. */
export type BriefSource = {
  messages: Messages;
  coverage: ReaderCoverage;
  site: Pick<Site, 'name' | 'time_zone'>;
  content: BriefContent;
  madeAt: Date;
};

/** An update in a brief. */
export type BriefLine = {
  number: number;
  published_at: string;
  time: string;
  isUrgent: boolean;
  /** Urgency, verification or withdrawal. May be empty. */
  label: string;
  text: string;
  /** When it was corrected or clarified. May be empty. */
  note: string;
};

/** A coverage as plain texts, shortened so that `briefText` fits. */
export type Brief = {
  headline: string;
  state: string;
  urgent: BriefLine[];
  /** `title` is empty if the standfirst stands for a summary. */
  summary: { title: string; text: string } | null;
  newest: BriefLine[];
  /** Instead of updates, if there are none. */
  empty: string;
  /** Whether updates or the summary are left out. */
  isPartial: boolean;
  /** Words before the address. */
  all: string;
  /** Address of the live page. */
  address: string;
};

/** Reads the updates of a brief. */
export async function readBrief({ id, state, update_count: count }: ReaderCoverage): Promise<BriefContent> {
  const [urgent, newest] = await Promise.all([
    hasEnded(state) ? [] : readUrgentUpdates(id, MAX_URGENT),
    count > 0 ? readUpdatesBetween(id, Math.max(1, count - NEWEST + 1), count) : [],
  ]);
  return { urgent, newest };
}

/** Returns the time zone of the site with the language of a coverage: briefs are read in the site's region. */
export const briefClock = ({ coverage, site }: Pick<BriefSource, 'coverage' | 'site'>): Clock => ({
  timeZone: site.time_zone,
  language: coverage.language,
});

/** A text that can be shortened. */
type Piece = { cut: (bytes: number) => string; min: number; weight: number };

type LineDraft = Omit<BriefLine, 'text'> & { piece: Piece };

/** The parts of a brief before they are shortened. */
type Draft = {
  urgent: LineDraft[];
  summary: { title: string; piece: Piece } | null;
  newest: LineDraft[];
  headlineBytes: number;
};

/**
 * Makes a brief that fits. All texts are shortened to one length, important ones to twice that. Headlines of urgent
 * updates stay whole. If that is not enough, updates are left out, oldest first: others before urgent ones.
 */
export function composeBrief(source: BriefSource): Brief {
  const whole = draftOf(source);
  const draft = smallerDrafts(whole).find((one) => fits(briefAt(source, whole, one, MIN_TEXT)));
  if (!draft) throw new Error('The names and the address of the site are too long for a brief.');
  let [best, tooMuch] = [MIN_TEXT, BRIEF_BYTES + 1];
  while (tooMuch > best + 1) {
    const middle = (best + tooMuch) >> 1;
    if (fits(briefAt(source, whole, draft, middle))) best = middle;
    else tooMuch = middle;
  }
  return briefAt(source, whole, draft, best);
}

/** Returns a brief as plain text, with a line for each update. */
export function briefText(brief: Brief): string {
  const { headline, state, urgent, summary, newest, empty, isPartial, all, address } = brief;
  const about = summary && [summary.title, summary.text].filter(Boolean).join(': ');
  const sections = [
    [headline, state],
    urgent.map(lineText),
    [about],
    [...newest.map(lineText), empty],
    [isPartial && ELLIPSIS],
    [`${all}: ${address}`],
  ];
  const texts = sections.map((lines) => lines.filter(Boolean).join('\n')).filter(Boolean);
  return `${texts.join('\n\n')}\n`;
}

const fits = (brief: Brief): boolean => byteLength(briefText(brief)) <= BRIEF_BYTES;

const lineText = ({ time, label, text, note }: BriefLine): string => {
  const words = [text, note && `(${note})`].filter(Boolean).join(' ');
  return `${time} ${[label, words].filter(Boolean).join(': ')}`;
};

/** Returns the draft and ever smaller ones. */
function smallerDrafts(draft: Draft): Draft[] {
  const { urgent, newest } = draft;
  const withoutNewest = newest.map((_, n) => ({ ...draft, newest: newest.slice(0, newest.length - n) }));
  const bare = { ...draft, newest: [] };
  const withoutUrgent = urgent.map((_, n) => ({
    ...bare,
    summary: null,
    urgent: urgent.slice(0, urgent.length - n),
  }));
  const last = withoutUrgent.at(-1) ?? { ...bare, summary: null };
  return [...withoutNewest, bare, ...withoutUrgent, last, { ...last, headlineBytes: MIN_HEADLINE }];
}

/** Returns the brief of a draft with its texts shortened. @param whole the draft with everything */
function briefAt(source: BriefSource, whole: Draft, draft: Draft, length: number): Brief {
  const { messages, coverage, site } = source;
  const { urgent, summary, newest, headlineBytes } = draft;
  const cut = ({ cut, min, weight }: Piece) => cut(Math.max(min, weight * length));
  const finish = ({ piece, ...line }: LineDraft) => ({ ...line, text: cut(piece) });
  const isEmpty = whole.urgent.length === 0 && whole.newest.length === 0;
  return {
    headline: makeCutter(plainLine(coverage.headline), coverage.language, BRIEF_BYTES)(headlineBytes),
    state: stateLine(source),
    urgent: urgent.map(finish),
    summary: summary && { title: summary.title, text: cut(summary.piece) },
    newest: newest.map(finish),
    empty: isEmpty && !hasEnded(coverage.state) ? messages.brief.noUpdates : '',
    isPartial:
      urgent.length < whole.urgent.length || newest.length < whole.newest.length || summary !== whole.summary,
    all: messages.embed.all(plainLine(site.name)),
    address: siteUrl(livePath(coverage.slug)),
  };
}

/** State of the coverage with the time when it starts or ended, and the time of the page with its zone. */
function stateLine(source: BriefSource): string {
  const { messages, coverage, madeAt } = source;
  const { state, starts_at, ended_at } = coverage;
  const clock = briefClock(source);
  const when = state === 'scheduled' ? starts_at : hasEnded(state) ? ended_at : null;
  const starts = state === 'scheduled' ? messages.reader.status.starts : '';
  const name = [messages.states[state], when && [starts, dayAndTime(when, clock)].filter(Boolean).join(' ')];
  const made = `${messages.reader.pageAsOf} ${clockTime(madeAt, clock)} ${zoneName(madeAt, clock)}`;
  return `${name.filter(Boolean).join(', ')}. ${made}, ${dayName(madeAt, clock)}`;
}

function draftOf(source: BriefSource): Draft {
  const { content, madeAt } = source;
  const urgent = content.urgent.filter(
    ({ published_at }, index) => index === 0 || madeAt.getTime() - Date.parse(published_at) < URGENT_MS,
  );
  const others = content.newest.filter(({ id }) => !urgent.some((one) => one.id === id));
  return {
    urgent: urgent.map((update) => lineDraft(source, update, true)),
    summary: summaryDraft(source),
    newest: others.map((update) => lineDraft(source, update, false)),
    headlineBytes: BRIEF_BYTES,
  };
}

function summaryDraft(source: BriefSource): Draft['summary'] {
  const { messages, coverage, madeAt } = source;
  const { summary, summary_at, state, standfirst } = coverage;
  const formatTime = (at: string) => shortTime(at, madeAt, briefClock(source));
  const text = bodyWords(summary, { reader: messages.reader, photos: [], formatTime });
  const piece = (line: string) => pieceOf(source, line, MIN_TEXT, IMPORTANT);
  if (!text) return standfirst ? { title: '', piece: piece(plainLine(standfirst)) } : null;
  const name = hasEnded(state) ? messages.reader.summaryEnded : messages.reader.summary;
  return { title: summary_at ? `${name} (${formatTime(summary_at)})` : name, piece: piece(text) };
}

/** @param isAbove whether it stands above the summary, with its whole headline */
function lineDraft(source: BriefSource, update: ReaderUpdate, isAbove: boolean): LineDraft {
  const { messages, madeAt } = source;
  const { reader } = messages;
  const { number, published_at, headline, body, photos, attribution, urgency, verification } = update;
  const formatTime = (at: string) => shortTime(at, madeAt, briefClock(source));
  const line = { number, published_at, time: formatTime(published_at), isUrgent: isAbove };
  if (update.state === 'withdrawn') {
    const piece = pieceOf(source, plainLine(update.withdrawn_reason ?? ''), MIN_TEXT, 1);
    return { ...line, label: reader.withdrawn, note: '', piece };
  }
  const words = bodyWords(body, { reader, photos, formatTime });
  const text = joinSentences([headline, words, attribution && reader.source(attribution)]);
  const urgent = reader.urgency[urgency];
  const labels = [
    isAbove ? urgent.toLocaleUpperCase(messages.language) : urgent,
    reader.verification[verification],
  ];
  // With the ellipsis, a headline of this length is whole.
  const min = headline ? byteLength(plainLine(headline)) + byteLength(ELLIPSIS) : MIN_URGENT;
  return {
    ...line,
    label: labels.filter(Boolean).join(', '),
    note: noteOf(messages, update, formatTime),
    piece: pieceOf(source, text || reader.update(number), isAbove ? min : MIN_TEXT, isAbove ? IMPORTANT : 1),
  };
}

/** Says when an update was last corrected, or else clarified. */
function noteOf({ brief }: Messages, { notes }: ReaderUpdate, formatTime: (at: string) => string): string {
  const correction = notes.findLast(({ kind }) => kind === 'correction');
  const note = correction ?? notes.at(-1);
  if (!note) return '';
  return (correction ? brief.corrected : brief.clarified)(formatTime(note.at));
}

const pieceOf = ({ coverage }: BriefSource, line: string, min: number, weight: number): Piece => ({
  cut: makeCutter(line, coverage.language, BRIEF_BYTES),
  min,
  weight,
});

/** What a block needs to become words. */
type Context = {
  reader: Messages['reader'];
  /** Photos that readers may see. */
  photos: ReaderPhoto[];
  formatTime: (at: string) => string;
};

/** Returns a body as one line of plain text. Photos become their alt text, maps their place, tables their cells. */
const bodyWords = (body: Body, context: Context): string =>
  joinSentences(body.map((block) => wordsOf(block, context)));

/** Joins texts on one line. A text without punctuation at its end gets a full stop, except the last one. */
function joinSentences(texts: (string | null | undefined)[]): string {
  const lines = texts.map((text) => plainLine(text ?? '')).filter(Boolean);
  return lines
    .map((line, index) => (index === lines.length - 1 || /\p{P}$/u.test(line) ? line : `${line}.`))
    .join(' ');
}

function wordsOf(block: Block, { reader, photos, formatTime }: Context): string {
  switch (block.type) {
    case 'paragraph':
      return textOf(block.runs);
    case 'list':
      return block.items.map(textOf).join('; ');
    case 'quote':
      return withDetails(`“${block.text}”`, [block.attribution]);
    case 'link':
      return withDetails(joinSentences([block.title, block.description]), [block.site]);
    case 'media':
      return joinSentences([block.title, block.description]);
    case 'table':
      return withDetails(tableWords(block), [
        block.source,
        block.as_of && `${reader.asOf} ${formatTime(block.as_of)}`,
      ]);
    case 'map':
      return `[${reader.mapOf(block.name)}]`;
    case 'post':
      return withDetails(`“${block.text}”`, [
        postAuthor(block),
        block.network,
        block.gone_at && `${reader.post.gone} ${formatTime(block.gone_at)}`,
      ]);
    case 'photo': {
      const photo = photos.find(({ id }) => id === block.photo);
      return photo ? `[${photo.alt}]` : '';
    }
  }
}

const withDetails = (text: string, details: (string | undefined)[]): string => {
  const given = details.filter(Boolean);
  return given.length > 0 ? `${text} (${given.join(', ')})` : text;
};

/** The cells of a row are separated by commas, the rows by semicolons. Empty cells are left out. */
function tableWords({ caption, rows }: Table): string {
  const cells = rows.map((row) => row.map(textOf).filter(Boolean).join(', ')).filter(Boolean);
  return [caption, cells.join('; ')].filter(Boolean).join(': ');
}
