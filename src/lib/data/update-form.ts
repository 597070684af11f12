import {
  type Block,
  type Body,
  bodyText,
  type Link,
  normalizeUrl,
  type Place,
  photoIds,
  placesOf,
} from '../domain/body/blocks.ts';
import { renumberPhotoMarkers, splitAtPhotoMarkers } from '../domain/body/photo-markers.ts';
import { isOnEarth } from '../domain/body/places.ts';
import { parseBody } from '../domain/body/source.ts';
import { type TableWords, writeBody } from '../domain/body/write-source.ts';
import { LIMITS } from '../domain/limits.ts';
import { localTime, utcFromLocal } from '../domain/local-time.ts';
import type { DeskUpdate, UpdateContent, Urgency, Verification } from '../domain/updates.ts';
import type { Messages } from '../i18n/messages.ts';
import { EMPTY_PHOTO_TEXTS, type FormPhoto, formPhoto } from './photo-form.ts';
import { type BackendClient, functionData } from './result.ts';

/** An update in the editor, with the column names of the database. The body is Markdown. */
export type UpdateForm = {
  headline: string;
  body: string;
  key_event: boolean;
  urgency: Urgency;
  verification: Verification;
  attribution: string;
  dateline: string;
  /** Local time of the event in the coverage's zone: `2026-11-21T14:05`. */
  occurred_at: string;
  /** Ids of the people in the byline, in order. Empty means the author. */
  bylines: string[];
  desk_note: string;
  /** Photos in order. Those without a marker in the text come after it. */
  photos: FormPhoto[];
  /** Link previews of URLs in the text. */
  links: Link[];
};

export type FormField = keyof UpdateForm;

export const EMPTY_FORM: UpdateForm = {
  headline: '',
  body: '',
  key_event: false,
  urgency: 'normal',
  verification: 'confirmed',
  attribution: '',
  dateline: '',
  occurred_at: '',
  bylines: [],
  desk_note: '',
  photos: [],
  links: [],
};

/** Whether nothing was entered that would be lost. */
export function isBlank(form: UpdateForm): boolean {
  const texts = [form.headline, form.body, form.attribution, form.desk_note];
  return form.photos.length === 0 && texts.every((text) => text.trim() === '');
}

/** Messages that the text of a form contains. */
export type FormMessages = Pick<Messages, 'composer' | 'corrections'>;

/**
 * Returns the form of an existing update.
 * @param timeZone time zone of the coverage
 */
export function formOf(messages: FormMessages, update: DeskUpdate, timeZone: string): UpdateForm {
  return {
    headline: update.headline ?? '',
    body: bodySource(messages, update.body, timeZone),
    key_event: update.key_event,
    urgency: update.urgency,
    verification: update.verification,
    attribution: update.attribution ?? '',
    dateline: update.dateline ?? '',
    occurred_at: update.occurred_at ? localTime(update.occurred_at, timeZone) : '',
    bylines: update.bylines.map(({ id }) => id),
    desk_note: update.desk_note ?? '',
    photos: photosOf(update),
    links: [],
  };
}

/** Converts a body to text. Photos at the end need no marker. */
function bodySource(messages: FormMessages, body: Body, timeZone: string): string {
  const last = body.findLastIndex(({ type }) => type !== 'photo');
  const within = photoIds(body.slice(0, last + 1));
  const lineOf = (id: string) =>
    within.includes(id) ? messages.composer.photoLine(within.indexOf(id) + 1) : undefined;
  return writeBody(body, lineOf, tableWords(messages, timeZone));
}

/** Returns how the lines below a table are written in the language of the interface. */
export const tableWords = ({ corrections }: Pick<Messages, 'corrections'>, timeZone: string): TableWords => ({
  timeZone,
  nameOf: (preset) => corrections.difference.presets[preset],
});

/** Keeps photos that the desk can no longer read, so that they can be removed. */
function photosOf({ body, photos }: DeskUpdate): FormPhoto[] {
  const known = new Map(photos.map((photo) => [photo.id, formPhoto(photo)]));
  return photoIds(body).map((id) => known.get(id) ?? { id, ...EMPTY_PHOTO_TEXTS });
}

/**
 * Returns the body that a form describes. URLs on their own line take their previews from `links` or from `before`.
 * @param timeZone time zone of the coverage
 */
export function formBody(
  { body, photos, links }: Pick<UpdateForm, 'body' | 'photos' | 'links'>,
  timeZone: string,
  before?: DeskUpdate,
): Body {
  const known = [...(before?.body ?? []), ...links];
  const parts = splitAtPhotoMarkers(body, photos.length);
  const inText = parts.flatMap((part) => (typeof part === 'number' ? (photos[part] ?? []) : []));
  const after = photos.filter((photo) => !inText.includes(photo));
  const blocks = (part: string | number): Body =>
    typeof part === 'string'
      ? parseBody(part, known, timeZone)
      : photos.slice(part, part + 1).map(photoBlock);
  return [...parts.flatMap(blocks), ...after.map(photoBlock)];
}

const photoBlock = ({ id }: FormPhoto) => ({ type: 'photo' as const, photo: id });

/** Combines two versions in one form: the text and photos of `first`, then the text and other photos of `second`. */
export function mergeForms(first: UpdateForm, second: UpdateForm): UpdateForm {
  const known = first.photos.map(({ id }) => id);
  const photos = [...first.photos, ...second.photos.filter(({ id }) => !known.includes(id))];
  const lines = renumberPhotoMarkers(second.body, (index) => {
    const id = second.photos[index]?.id;
    return id === undefined || known.includes(id) ? null : photos.findIndex((photo) => photo.id === id);
  });
  return { ...second, body: `${first.body}\n\n${lines}`, photos };
}

/**
 * Converts a form to the complete content of an update.
 * @param timeZone time zone of the coverage
 * @param includedPhotos photos to include; by default all
 */
export function formContent(
  form: UpdateForm,
  timeZone: string,
  before?: DeskUpdate,
  includedPhotos: FormPhoto[] = form.photos,
): UpdateContent {
  const includedIds = new Set(includedPhotos.map(({ id }) => id));
  return {
    headline: form.headline.trim() || null,
    body: formBody(form, timeZone, before).filter(
      (block) => block.type !== 'photo' || includedIds.has(block.photo),
    ),
    key_event: form.key_event,
    urgency: form.urgency,
    verification: form.verification,
    attribution: form.attribution.trim() || null,
    desk_note: form.desk_note.trim() || null,
    dateline: form.dateline.trim() || null,
    occurred_at: occurredAt(form.occurred_at, timeZone, before),
    bylines: form.bylines,
  };
}

/** An unchanged time keeps its seconds, which the field does not show. */
function occurredAt(local: string, timeZone: string, before?: DeskUpdate): string | null {
  const known = before?.occurred_at;
  return known && localTime(known, timeZone) === local ? known : utcFromLocal(local, timeZone);
}

export type FormProblems = Partial<Record<FormField | 'note' | 'scheduled_for', string>>;

/**
 * Validates an update by the rules of the database.
 * @param minBlocks minimum number of blocks: a draft may have none
 */
export function formProblems(
  messages: Pick<Messages, 'composer' | 'desk'>,
  content: UpdateContent,
  minBlocks: 0 | 1,
): FormProblems {
  const problems: FormProblems = {};
  const lengths = [
    ['headline', LIMITS.update_headline],
    ['attribution', LIMITS.attribution],
    ['dateline', LIMITS.dateline],
    ['desk_note', LIMITS.desk_note],
  ] as const;
  for (const [field, most] of lengths) {
    const length = countCharacters(content[field] ?? '');
    if (length > most) problems[field] = messages.desk.problems.tooLong(length, most);
  }
  if (content.occurred_at && Date.parse(content.occurred_at) > Date.now()) {
    problems.occurred_at = messages.composer.notYetHappened;
  }
  if (content.bylines.length > LIMITS.bylines)
    problems.bylines = messages.composer.tooManyNames(LIMITS.bylines);
  const length = countCharacters(bodyText(content.body));
  if (content.body.length < minBlocks) problems.body = messages.desk.problems.empty;
  else if (content.body.length > LIMITS.body_blocks) {
    problems.body = messages.desk.problems.blocks(content.body.length, LIMITS.body_blocks);
  } else if (length > LIMITS.body_characters) {
    problems.body = messages.desk.problems.tooLong(length, LIMITS.body_characters);
  } else if (content.body.some(isLargeTable)) {
    problems.body = messages.desk.problems.table(LIMITS.table_rows, LIMITS.table_columns);
  } else if (placesOf(content.body).some(isInvalidPlace)) {
    problems.body = messages.desk.problems.map(LIMITS.dateline);
  } else if (content.body.some(hasLongName)) {
    problems.body = messages.desk.problems.post(LIMITS.attribution);
  }
  return problems;
}

/** The first row names the columns. */
const isLargeTable = (block: Block): boolean =>
  block.type === 'table' &&
  (block.rows.length > LIMITS.table_rows + 1 || (block.rows[0]?.length ?? 0) > LIMITS.table_columns);

const isInvalidPlace = (place: Place): boolean =>
  place.name === '' || countCharacters(place.name) > LIMITS.dateline || !isOnEarth(place);

const hasLongName = (block: Block): boolean =>
  block.type === 'post' &&
  [block.author, block.handle, block.network].some((name = '') => countCharacters(name) > LIMITS.attribution);

/** Returns the length in code points, as the database counts it. */
export function countCharacters(text: string): number {
  return [...text].length;
}

/** Normalises a typed URL, also without its scheme; null if it cannot be a URL. */
export function parseTypedUrl(text: string): string | null {
  const typed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  // Some browsers parse almost any text as a URL. A real one has a host with a dot or a port, and no white space.
  const isUrl = /^[^:]+:\/\/[^/?#]*[^/?#.][.:][^/?#]/.test(whole) && !/\s/.test(whole);
  return isUrl && URL.canParse(whole) ? normalizeUrl(whole) : null;
}

/**
 * Returns the title and description of a page as a link block.
 * @throws Refused
 */
export async function fetchLinkPreview(backend: BackendClient, url: string): Promise<Link> {
  const preview = await functionData(backend.functions.invoke('unfurl-link', { body: { url } }));
  const { title, description, site } = preview as Omit<Link, 'type' | 'url'>;
  return { type: 'link', url, title, ...(description ? { description } : {}), ...(site ? { site } : {}) };
}

/** Appends a URL on its own line to a text. */
export function appendUrlLine(body: string, url: string): string {
  const before = body.trimEnd();
  // Without the empty line, the URL would become part of a list or quote.
  return `${before}${before ? '\n\n' : ''}${url}\n`;
}

/** Removes the last line that consists of this URL only. */
export function removeUrlLine(body: string, url: string): string {
  const lines = body.split('\n');
  const last = lines.findLastIndex((line) => line.trim() === url);
  if (last < 0) return body;
  const before = lines.slice(0, last).join('\n').trimEnd();
  const after = lines.slice(last + 1).join('\n');
  return after.trim() === '' ? before : `${before}\n${after}`;
}
