import { livePath, updatePath } from '../../domain/coverages.ts';
import { feedPath } from '../../domain/list-paths.ts';
import { PHOTO_WIDTHS, photoPath } from '../../domain/photos.ts';
import { machineTime } from '../../domain/time.ts';
import type { Messages } from '../../i18n/messages.ts';
import { withoutForbidden } from '../xml.ts';
import {
  changeTime,
  contentText,
  type FeedCoverage,
  type FeedDocument,
  type FeedEntry,
  type FeedTombstone,
  filesOf,
  isTombstone,
  type MakeUrl,
  photosOfEntry,
  type RenderBody,
  readerMessages,
  tagsOf,
  urn,
} from './feed.ts';

/** Writes a feed document as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
export function writeJsonFeed(
  messages: Messages,
  document: FeedDocument,
  render: RenderBody,
  at: MakeUrl,
): string {
  const { title, subtitle, language, home, base, publisher, entries, older, hasEnded: isOver } = document;
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: at(home),
    // Archived documents name the newest one, whose URL identifies the feed.
    feed_url: at(feedPath(base, 'json')),
    next_url: older === undefined ? undefined : at(feedPath(base, 'json', older)),
    description: subtitle || undefined,
    icon: at('/icon-512.png'),
    favicon: at('/icon-192.png'),
    authors: [{ name: publisher, url: at('/') }],
    language,
    expired: isOver || undefined,
    items: entries.map((entry) =>
      isTombstone(entry)
        ? withdrawnItem(messages, entry, document, at)
        : itemOf(messages, entry, document, render, at),
    ),
  };
  return JSON.stringify(feed, (_, value) => (typeof value === 'string' ? withoutForbidden(value) : value));
}

function itemOf(
  messages: Messages,
  entry: FeedEntry,
  { isMixed }: FeedDocument,
  render: RenderBody,
  at: MakeUrl,
) {
  const { update, coverage } = entry;
  const [photo] = photosOfEntry(entry);
  return {
    id: urn(update.id),
    url: at(updatePath(coverage.slug, update.number)),
    // Optional in JSON Feed. An invented title would look like a headline.
    title: update.headline ?? undefined,
    content_html: render(messages, entry, at),
    content_text: contentText(messages, entry),
    image: photo && at(photoPath(photo.id, PHOTO_WIDTHS[2])),
    attachments: attachmentsOf(entry, at),
    date_published: machineTime(update.published_at),
    date_modified: changeTime(entry.at),
    authors: update.bylines.length
      ? update.bylines.map(({ handle, display_name }) => ({
          name: display_name,
          url: at(`/people/${handle}`),
        }))
      : undefined,
    tags: tagsOf(entry).map(({ term, label }) => label ?? term),
    language: coverage.language,
    _stoppress: { number: update.number, ...(isMixed && { coverage: coverageOf(coverage, at) }) },
  };
}

/** Returns the video and audio files of an update; undefined without any. */
function attachmentsOf(entry: FeedEntry, at: MakeUrl) {
  const files = filesOf(entry);
  if (files.length === 0) return undefined;
  return files.map(({ path, type, title, bytes, seconds }) => ({
    url: at(path),
    mime_type: type,
    title,
    size_in_bytes: bytes,
    duration_in_seconds: seconds,
  }));
}

/** JSON Feed has no tombstones. The item keeps its id, and its text says that it was withdrawn. */
function withdrawnItem(
  messages: Messages,
  tombstone: FeedTombstone,
  { language, isMixed }: FeedDocument,
  at: MakeUrl,
) {
  const { position: place } = tombstone;
  const reader = readerMessages(messages, place?.coverage.language ?? language);
  return {
    id: urn(tombstone.id),
    url: place ? at(updatePath(place.coverage.slug, place.number)) : undefined,
    title: reader.withdrawn,
    content_text: tombstone.reason ?? reader.errors.gone.say,
    date_published: place ? machineTime(place.publishedAt) : undefined,
    date_modified: changeTime(tombstone.at),
    language: place?.coverage.language ?? language,
    _stoppress: {
      withdrawn: true,
      number: place?.number,
      ...(isMixed && place && { coverage: coverageOf(place.coverage, at) }),
    },
  };
}

const coverageOf = ({ id, slug, headline }: FeedCoverage, at: MakeUrl) => ({
  id: urn(id),
  title: headline,
  url: at(livePath(slug)),
  feed_url: at(feedPath(`/live/${slug}`, 'json')),
});
