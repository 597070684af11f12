import type { BackendClient } from '../../data/result.ts';
import { IMPORT } from '../../i18n/cli.ts';
import { messagesFor } from '../../i18n/messages.server.ts';
import { Refused, sentenceOf } from '../../i18n/refusals.ts';
import { BadFeed } from './feed.ts';
import { type FeedImportOptions, type ImportResult, importFeed } from './import-feed.ts';
import { type Liveblog, liveblogsIn } from './wordpress-export.ts';

/** The liveblogs to import: their positions in the export, and the slug of each coverage. */
type Survey = { selected: Map<number, string>; hidden: string[] };

/** Result of one liveblog. */
export type LiveblogResult = Pick<Liveblog, 'title' | 'deleted' | 'wordless' | 'hasOwnText'> &
  ({ result: ImportResult } | { result: null; mistakes: string[] });

/**
 * Reads a whole WordPress export before anything is written, and selects the liveblogs to import. A slug selects the
 * liveblog with that slug; if there is only one, it gets this slug.
 * @throws BadFeed when the file is invalid or contains no such liveblog
 */
export async function surveyWxr(path: string, slug: string | undefined): Promise<Survey> {
  const hidden: string[] = [];
  const slugs: string[] = [];
  for await (const liveblog of liveblogsIn(path, hidden)) slugs.push(liveblog.slug);
  if (slugs.length === 0) throw new BadFeed([IMPORT.wxr.none]);
  if (slug === undefined) return { selected: new Map(slugs.entries()), hidden };
  const position = slugs.length === 1 ? 0 : slugs.indexOf(slug);
  if (position < 0) throw new BadFeed([IMPORT.wxr.noneOf(slug, slugs)]);
  return { selected: new Map([[position, slug]]), hidden };
}

/** Imports the selected liveblogs, each as a coverage, completely or not at all. */
export async function* importWxr(
  service: BackendClient,
  path: string,
  { selected }: Survey,
  options: FeedImportOptions,
): AsyncGenerator<LiveblogResult> {
  const usedSlugs = new Set<string>();
  let position = 0;
  for await (const liveblog of liveblogsIn(path)) {
    const slug = selected.get(position++);
    if (slug === undefined) continue;
    const { title, deleted, wordless, hasOwnText, mistakes } = liveblog;
    if (!slug) mistakes.push(IMPORT.wxr.slug(title));
    else if (usedSlugs.has(slug)) mistakes.push(IMPORT.wxr.sameSlug(title, slug));
    usedSlugs.add(slug);
    const about = { title, deleted, wordless, hasOwnText };
    if (mistakes.length > 0) yield { ...about, result: null, mistakes };
    else yield { ...about, ...(await importLiveblog(service, liveblog, { ...options, slug })) };
  }
}

async function importLiveblog(
  service: BackendClient,
  { feed, isOver }: Liveblog,
  options: FeedImportOptions,
): Promise<{ result: ImportResult } | { result: null; mistakes: string[] }> {
  // A running liveblog becomes a live coverage. An existing coverage keeps its state.
  const state = options.state ?? (isOver ? 'ended' : undefined);
  try {
    return { result: await importFeed(service, feed, { ...options, state }) };
  } catch (error) {
    if (error instanceof BadFeed) return { result: null, mistakes: error.mistakes };
    if (!(error instanceof Refused) || error.refusal.code === 'unavailable') throw error;
    return {
      result: null,
      mistakes: [IMPORT.failed(sentenceOf(error.refusal, messagesFor('en')), error.refusal.field)],
    };
  }
}
