import { placesOf } from '../../domain/body/blocks.ts';
import { livePath, updatePath } from '../../domain/coverages.ts';
import { FEED_FORMATS, type FeedBase, feedPath } from '../../domain/list-paths.ts';
import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../../domain/photos.ts';
import { machineTime } from '../../domain/time.ts';
import type { Messages } from '../../i18n/messages.ts';
import { writeXml, type Xml } from '../xml.ts';
import {
  changeTime,
  type FeedDocument,
  type FeedEntry,
  type FeedTombstone,
  filesOf,
  isComplete,
  isTombstone,
  type MakeUrl,
  photosOfEntry,
  type RenderBody,
  tagsOf,
  titleOf,
  updatedAt,
  urn,
} from './feed.ts';

/** Scheme of the categories for topics. */
const TOPICS = '/topics/';

/**
 * Writes a feed document as Atom (RFC 4287), with archive links (RFC 5005), tombstones (RFC 6721), files, photos
 * (https://www.rssboard.org/media-rss) and places (GeoRSS).
 */
export function writeAtom(
  messages: Messages,
  document: FeedDocument,
  render: RenderBody,
  at: MakeUrl,
): string {
  const { id, title, subtitle, language, home, publisher, photo, entries, archive } = document;
  const feed = {
    '@xmlns': 'http://www.w3.org/2005/Atom',
    '@xmlns:fh': 'http://purl.org/syndication/history/1.0',
    '@xmlns:at': 'http://purl.org/atompub/tombstones/1.0',
    '@xmlns:georss': entries.some(hasPlace) ? 'http://www.georss.org/georss' : undefined,
    '@xmlns:media': 'http://search.yahoo.com/mrss/',
    '@xml:lang': language,
    id: urn(id),
    title,
    subtitle: subtitle || undefined,
    updated: changeTime(updatedAt(document)),
    author: { name: publisher, uri: at('/') },
    link: [{ '@rel': 'alternate', '@type': 'text/html', '@href': at(home) }, ...linksOf(document, at)],
    icon: at('/icon-192.png'),
    logo: photo && at(photoPath(photo.id, PHOTO_WIDTHS[1])),
    generator: 'Stoppress',
    'fh:archive': archive === undefined ? undefined : '',
    'fh:complete': isComplete(document) ? '' : undefined,
    entry: entries.flatMap((entry) =>
      isTombstone(entry) ? [] : [entryOf(messages, entry, document, render, at)],
    ),
    'at:deleted-entry': entries.flatMap((entry) =>
      isTombstone(entry) ? [deletedEntry(entry, document, at)] : [],
    ),
  } satisfies Xml;
  return writeXml({ feed }, { format: true, indentBy: ' ', suppressEmptyNode: true });
}

const hasPlace = (entry: FeedEntry | FeedTombstone): boolean =>
  !isTombstone(entry) && placesOf(entry.update.body).length > 0;

function linksOf({ base, archive, older, newer }: FeedDocument, at: MakeUrl): Xml[] {
  const links: [string, string | undefined | false][] = [
    ['self', feedPath(base, 'atom', archive)],
    ['current', archive !== undefined && feedPath(base, 'atom')],
    ['prev-archive', older !== undefined && feedPath(base, 'atom', older)],
    ['next-archive', newer !== undefined && feedPath(base, 'atom', newer)],
  ];
  return links.flatMap(([rel, path]) =>
    path ? [{ '@rel': rel, '@type': FEED_FORMATS.atom.type, '@href': at(path) }] : [],
  );
}

function entryOf(
  messages: Messages,
  entry: FeedEntry,
  { isMixed }: FeedDocument,
  render: RenderBody,
  at: MakeUrl,
): Xml {
  const { update, coverage } = entry;
  const [place] = placesOf(update.body);
  return {
    '@xml:lang': coverage.language,
    id: urn(update.id),
    title: titleOf(messages, entry),
    published: machineTime(update.published_at),
    updated: changeTime(entry.at),
    link: [
      {
        '@rel': 'alternate',
        '@type': 'text/html',
        '@href': at(updatePath(coverage.slug, update.number)),
      },
      ...filesOf(entry).map(({ path, type, title, bytes }) => ({
        '@rel': 'enclosure',
        '@type': type,
        '@length': `${bytes}`,
        '@title': title,
        '@href': at(path),
      })),
    ],
    author: update.bylines.map(({ handle, display_name }) => ({
      name: display_name,
      uri: at(`/people/${handle}`),
    })),
    category: tagsOf(entry).map(({ term, label, isTopic }) => ({
      '@term': term,
      '@scheme': isTopic ? at(TOPICS) : undefined,
      '@label': label,
    })),
    source: isMixed ? sourceOf(entry, at) : undefined,
    // GeoRSS Simple: an entry has one place.
    ...(place && {
      'georss:point': `${place.latitude} ${place.longitude}`,
      'georss:featurename': place.name,
    }),
    'media:content': photosOfEntry(entry).map((photo) => mediaOf(photo, at)),
    content: { '@type': 'html', '#text': render(messages, entry, at) },
  };
}

/** A photo for programs that show pictures beside the titles of entries. */
function mediaOf({ id, renditions, alt, credit }: ReaderPhoto, at: MakeUrl): Xml {
  const [, width] = PHOTO_WIDTHS;
  const rendition = renditionFor(renditions, width);
  return {
    '@url': at(photoPath(id, width)),
    '@type': 'image/webp',
    '@medium': 'image',
    '@width': rendition && `${rendition.width}`,
    '@height': rendition && `${rendition.height}`,
    'media:description': { '@type': 'plain', '#text': alt },
    'media:credit': credit ?? undefined,
  };
}

/** The feed of the entry's coverage. */
function sourceOf({ coverage }: FeedEntry, at: MakeUrl): Xml {
  const base: FeedBase = `/live/${coverage.slug}`;
  return {
    '@xml:lang': coverage.language,
    id: urn(coverage.id),
    title: coverage.headline,
    link: [
      { '@rel': 'alternate', '@type': 'text/html', '@href': at(livePath(coverage.slug)) },
      { '@rel': 'self', '@type': FEED_FORMATS.atom.type, '@href': at(feedPath(base, 'atom')) },
    ],
  };
}

function deletedEntry(
  { id, at: when, reason, position: place }: FeedTombstone,
  document: FeedDocument,
  at: MakeUrl,
): Xml {
  return {
    '@xml:lang': place?.coverage.language,
    '@ref': urn(id),
    '@when': changeTime(when),
    'at:by': { name: document.publisher, uri: at('/') },
    'at:comment': reason ?? undefined,
  };
}
