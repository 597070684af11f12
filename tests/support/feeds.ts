import { Readable } from 'node:stream';
import { parseFeed } from '@rowanmanning/feed-parser';
import FeedParser from 'feedparser';
import { SaxesParser } from 'saxes';

export const ATOM = 'http://www.w3.org/2005/Atom';
export const HISTORY = 'http://purl.org/syndication/history/1.0';
export const TOMBSTONES = 'http://purl.org/atompub/tombstones/1.0';
const MEDIA = 'http://search.yahoo.com/mrss/';

/** An element of a document: name with namespace, attributes, and its own text. */
export type Element = {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Element[];
};

/** Parses XML 1.0. @throws if the document is not well-formed */
export function readXml(text: string): Element {
  const parser = new SaxesParser({ xmlns: true });
  const root: Element = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const element: Element = {
      name: `${uri} ${local}`,
      attributes: Object.fromEntries(Object.values(attributes).map(({ name, value }) => [name, value])),
      text: '',
      children: [],
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (words) => {
    const element = open.at(-1);
    if (element) element.text += words;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  const [document] = root.children;
  if (!document) throw new Error('The document has a root element.');
  return document;
}

/** Returns the parts of an Atom document that tests check. */
export function readAtom(text: string) {
  const feed = readXml(text);
  const all = (element: Element, name: string, uri = ATOM) =>
    element.children.filter((child) => child.name === `${uri} ${name}`);
  const textOf = (element: Element, name: string, uri = ATOM) => all(element, name, uri)[0]?.text;
  const linkOf = (element: Element, rel: string) =>
    all(element, 'link').find(({ attributes }) => attributes.rel === rel)?.attributes.href;
  return {
    id: textOf(feed, 'id'),
    title: textOf(feed, 'title'),
    updated: textOf(feed, 'updated') ?? '',
    logo: textOf(feed, 'logo'),
    link: (rel: string) => linkOf(feed, rel),
    isArchive: all(feed, 'archive', HISTORY).length === 1,
    isComplete: all(feed, 'complete', HISTORY).length === 1,
    entries: all(feed, 'entry').map((entry) => ({
      id: textOf(entry, 'id') ?? '',
      title: textOf(entry, 'title') ?? '',
      published: textOf(entry, 'published') ?? '',
      updated: textOf(entry, 'updated') ?? '',
      language: entry.attributes['xml:lang'],
      content: textOf(entry, 'content') ?? '',
      link: linkOf(entry, 'alternate') ?? '',
      source: all(entry, 'source').map((source) => textOf(source, 'title'))[0],
      authors: all(entry, 'author').map((author) => [textOf(author, 'name'), textOf(author, 'uri')]),
      media: all(entry, 'content', MEDIA).map((photo) => ({
        ...photo.attributes,
        description: textOf(photo, 'description', MEDIA),
        credit: textOf(photo, 'credit', MEDIA),
      })),
      terms: all(entry, 'category').map(({ attributes }) => attributes.term),
    })),
    deleted: all(feed, 'deleted-entry', TOMBSTONES).map((gone) => ({
      ref: gone.attributes.ref,
      when: gone.attributes.when ?? '',
      comment: textOf(gone, 'comment', TOMBSTONES),
    })),
  };
}

/** Parses an Atom document with two independent parsers. @returns the entries that each of them read */
export async function readByOtherParsers(text: string) {
  const parsed = parseFeed(text);
  const parser = new FeedParser({});
  const items: FeedParser.Item[] = [];
  const failed = new Promise<never>((_, fail) => parser.on('error', fail));
  const read = (async () => {
    for await (const item of Readable.from([text]).pipe(parser)) items.push(item as FeedParser.Item);
  })();
  await Promise.race([read, failed]);
  return {
    types: [parsed.meta.type, parser.meta['#type']],
    titles: [parsed.title, parser.meta.title],
    first: parsed.items.map(({ id, title, url, content, updated, published }) => ({
      id,
      title,
      url,
      content,
      updated: updated?.toISOString(),
      published: published?.toISOString(),
    })),
    second: items.map(({ guid, title, link, description, date, pubdate }) => ({
      id: guid,
      title,
      url: link,
      content: description,
      updated: date?.toISOString(),
      published: pubdate?.toISOString(),
    })),
  };
}

export type JsonItem = {
  id: string;
  url?: string;
  title?: string;
  content_html?: string;
  content_text?: string;
  date_published?: string;
  date_modified: string;
  tags?: string[];
  _stoppress: { number?: number; withdrawn?: true };
};
export type JsonFeed = {
  title: string;
  feed_url: string;
  next_url?: string;
  expired?: boolean;
  items: JsonItem[];
};

const isText = (value: unknown) => typeof value === 'string';
const isAddress = (value: unknown) => isText(value) && URL.canParse(value as string);
const isTime = (value: unknown) =>
  isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value as string);
const isListOf = (isValid: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isValid);
const isAuthor = (value: unknown) => {
  const { name, url, avatar, ...more } = value as Record<string, unknown>;
  return (
    (isText(name) || isAddress(url) || isAddress(avatar)) &&
    [url, avatar].every((address) => address === undefined || isAddress(address)) &&
    Object.keys(more).length === 0
  );
};

/** The rules of JSON Feed 1.1 for each field. Fields that begin with `_` are extensions. */
const FEED: Record<string, (value: unknown) => boolean> = {
  version: (value) => value === 'https://jsonfeed.org/version/1.1',
  title: isText,
  home_page_url: isAddress,
  feed_url: isAddress,
  description: isText,
  next_url: isAddress,
  icon: isAddress,
  favicon: isAddress,
  authors: isListOf(isAuthor),
  language: isText,
  expired: (value) => typeof value === 'boolean',
  items: Array.isArray,
};
const ITEM: Record<string, (value: unknown) => boolean> = {
  id: (value) => isText(value) && value !== '',
  url: isAddress,
  title: isText,
  content_html: isText,
  content_text: isText,
  image: isAddress,
  date_published: isTime,
  date_modified: isTime,
  authors: isListOf(isAuthor),
  tags: isListOf(isText),
  language: isText,
};

/** Parses a JSON Feed. @returns the feed, and its violations of the rules of version 1.1 */
export function readJsonFeed(text: string): { feed: JsonFeed; errors: string[] } {
  const feed = JSON.parse(text) as JsonFeed;
  const errorsOf = (what: object, rules: typeof FEED, needed: string[]) => [
    ...needed.filter((name) => !(name in what)).map((name) => `no ${name}`),
    ...Object.entries(what).flatMap(([name, value]) =>
      name.startsWith('_') || rules[name]?.(value) ? [] : [`${name}: ${JSON.stringify(value)}`],
    ),
  ];
  const items = feed.items.flatMap((item) => [
    ...errorsOf(item, ITEM, ['id']),
    ...('content_html' in item || 'content_text' in item ? [] : ['no content']),
  ]);
  const ids = new Set(feed.items.map(({ id }) => id));
  return {
    feed,
    errors: [
      ...errorsOf(feed, FEED, ['version', 'title', 'items']),
      ...items,
      ...(ids.size === feed.items.length ? [] : ['one id twice']),
      ...(feed.next_url === feed.feed_url ? ['next_url is feed_url'] : []),
    ],
  };
}
