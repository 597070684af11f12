import type { Site } from '../site/read.ts';
import { readUpdatesById } from '../updates/read.ts';
import type { ReaderUpdate } from '../updates/update.ts';
import type { Base } from './address.ts';
import { BEGINNING, publisherOf } from './coverage.ts';
import { cutNewest } from './cuts.ts';
import { byChange, type FeedCoverage, type FeedDocument, idOf, toEntry } from './document.ts';
import { type List, readFeedCoverages, readFeedId, readList } from './read.ts';

type Topic = { id: string; slug: string; name: string; description: string };

/** A document of the feed of the site, or of a topic; null where there is none of that name. */
export async function listDocument(
  site: Site,
  topic: Topic | null,
  archive?: string,
): Promise<FeedDocument | null> {
  const [list, siteId] = await Promise.all([
    readList(topic?.id ?? null, archive),
    topic ? undefined : readFeedId(),
  ]);
  if (!list) return null;
  const entries = byChange(await readEntries(list));
  const archived = new Set(list.entries.filter((entry) => entry.archived).map(({ id }) => id));
  const base: Base = topic ? `/topics/${topic.slug}` : '';
  return {
    id: topic?.id ?? siteId ?? '',
    title: topic ? `${topic.name} · ${site.name}` : site.name,
    subtitle: topic ? topic.description : site.tagline,
    language: site.language,
    base,
    home: base || '/',
    publisher: publisherOf(site),
    since: BEGINNING,
    entries: archive ? entries : cutNewest(entries, (entry) => archived.has(idOf(entry))),
    archive,
    older: list.older ?? undefined,
    newer: list.newer ?? undefined,
    isOver: false,
    isMixed: true,
  };
}

/** What was taken back between the two reads is not there, or a tombstone: its words are not. */
async function readEntries({ entries }: List): Promise<FeedDocument['entries']> {
  const standing = entries.filter(({ gone }) => !gone);
  const [updates, coverages] = await Promise.all([
    readUpdatesById(standing.map(({ id }) => id)),
    readFeedCoverages([...new Set(standing.map(({ coverage }) => coverage))]),
  ]);
  const byId = new Map<string, ReaderUpdate>(updates.map((update) => [update.id, update]));
  return entries.flatMap(({ id, at, gone, coverage: of }) => {
    if (gone) return [{ id, at, reason: null, place: null }];
    const [update, coverage]: [ReaderUpdate | undefined, FeedCoverage | undefined] = [
      byId.get(id),
      coverages.get(of),
    ];
    return update && coverage ? [toEntry(update, coverage, at)] : [];
  });
}
