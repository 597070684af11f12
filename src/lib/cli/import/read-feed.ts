import { IMPORT } from '../../i18n/cli.ts';
import { readAtom } from './atom.ts';
import { BadFeed, bodyFromText, type ImportedFeed, type Item, inTimeOrder, isTime } from './feed.ts';

/** https://www.jsonfeed.org/version/1.1/ */
const VERSION = 'https://jsonfeed.org/version/1.1';

type Json = Record<string, unknown>;

/**
 * Parses a JSON Feed 1.1 whose items have `content_text`.
 * @throws BadFeed with a mistake for every invalid item
 */
export function readJsonFeed(text: string): ImportedFeed {
  const feed = parse(text);
  const mistakes: string[] = [];
  if (feed.version !== VERSION) mistakes.push(IMPORT.version(VERSION));
  if (!isText(feed.title)) mistakes.push(IMPORT.title);
  for (const key of ['description', 'language']) {
    if (feed[key] !== undefined && typeof feed[key] !== 'string') mistakes.push(IMPORT.notText(key));
  }
  const items = Array.isArray(feed.items) ? feed.items : [];
  if (!Array.isArray(feed.items)) mistakes.push(IMPORT.noItems);

  const seen = new Map<unknown, number>();
  items.forEach((item: unknown, index) => {
    if (isWithdrawn(item)) return;
    const wrong = isObject(item) ? wrongOf(item, seen) : [IMPORT.item.object];
    mistakes.push(
      ...wrong.map((what) => IMPORT.wrongItem(index, isObject(item) ? item.id : undefined, what)),
    );
    if (isObject(item) && !seen.has(item.id)) seen.set(item.id, index);
  });
  if (mistakes.length > 0) throw new BadFeed(mistakes);

  return {
    title: feed.title as string,
    description: feed.description as string | undefined,
    language: feed.language as string | undefined,
    items: inTimeOrder(items.flatMap((item, index) => (isWithdrawn(item) ? [] : [itemOf(item, index)]))),
  };
}

function parse(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadFeed([IMPORT.notJson((error as Error).message)]);
  }
  if (!isObject(value)) throw new BadFeed([IMPORT.notFeed]);
  return value;
}

function wrongOf(item: Json, seen: Map<unknown, number>): string[] {
  const { id, date_published: date, content_text: text, title, authors, tags } = item;
  const known = seen.get(id);
  return [
    !isText(id) && IMPORT.item.id,
    known !== undefined && IMPORT.item.sameId(known),
    !isTime(date) && IMPORT.item.date,
    !isText(text) && IMPORT.item.text,
    title !== undefined && typeof title !== 'string' && IMPORT.item.title,
    authors !== undefined && !(Array.isArray(authors) && authors.every(isAuthor)) && IMPORT.item.authors,
    tags !== undefined &&
      !(Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) &&
      IMPORT.item.tags,
  ].filter((what) => what !== false);
}

function itemOf(value: unknown, index: number): Item {
  const item = value as Json;
  return {
    index,
    id: item.id as string,
    title: (item.title as string | undefined)?.trim() || undefined,
    body: bodyFromText(item.content_text as string),
    authors: ((item.authors ?? []) as { name?: string }[]).flatMap(({ name }) => name?.trim() || []),
    tags: (item.tags ?? []) as string[],
    publishedAt: new Date(item.date_published as string),
  };
}

/** Whether Stoppress marked the item as withdrawn. It has no text then. */
const isWithdrawn = (item: unknown) =>
  isObject(item) && isObject(item._stoppress) && item._stoppress.withdrawn === true;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const isAuthor = (value: unknown) =>
  isObject(value) && (value.name === undefined || typeof value.name === 'string');

/**
 * Parses a JSON Feed 1.1 or an Atom feed. The first character decides which.
 * @throws BadFeed with a mistake for every invalid item
 */
export function readFeed(text: string): ImportedFeed {
  const written = text.replace(/^\uFEFF/, '').trimStart();
  return written.startsWith('<') ? readAtom(written) : readJsonFeed(written);
}
