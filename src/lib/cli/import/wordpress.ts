import type { BackendClient } from '../../data/result.ts';
import { bodyText, shorten } from '../../domain/body/blocks.ts';
import { NestingError } from '../../domain/body/html.ts';
import { isSlug, suggestSlug } from '../../domain/coverages.ts';
import { LIMITS } from '../../domain/limits.ts';
import { machineTime } from '../../domain/time.ts';
import { IMPORT } from '../../i18n/cli.ts';
import { messagesFor } from '../../i18n/messages.server.ts';
import { Refused, sentenceOf } from '../../i18n/refusals.ts';
import { type FeedImportOptions, type ImportResult, importFeed } from './import-feed.ts';
import { createPictureImporter, type PictureSource } from './import-pictures.ts';
import { BadFeed, type ImportedFeed, type Item, inTimeOrder, MAX_HTML_LENGTH } from './read-feed.ts';
import { bodyFromWordPress, ContentLongError, textFromWordPress } from './wordpress-body.ts';
import {
  type Attachments,
  addAttachment,
  type LeftPicture,
  noAttachments,
  withFeaturedImage,
} from './wordpress-pictures.ts';
import {
  attachmentOfPost,
  type Entry,
  entriesOf,
  entryOfComment,
  entryOfPost,
  KIND,
  type StoredEntry,
  type WxrItem,
  type WxrSite,
  wxrItems,
} from './wxr.ts';

/** A post whose entries were written with the Liveblog plugin, or a coverage of the plugin Rolling Coverage. */
export type Liveblog = {
  title: string;
  /** Its slug in WordPress, or one derived from its title if that is no valid slug here. */
  slug: string;
  /** Whether it is closed for new entries. */
  isOver: boolean;
  feed: ImportedFeed;
  /** Reasons why it cannot be imported. */
  mistakes: string[];
  /** Deleted entries, and entries without text. */
  deleted: number;
  wordless: number;
  /** Whether the post has a text beside its entries, which a coverage cannot hold. */
  hasOwnText: boolean;
};

/**
 * Reads the liveblogs of a WordPress export (WXR). Only the current one is in memory, and those whose entries are
 * posts.
 * @param hidden receives the titles of liveblogs that are not public
 * @param attachments the pictures of the media library, which stand before or after the posts
 * @throws BadFeed when the file is invalid
 */
export async function* liveblogsIn(
  path: string,
  hidden: string[] = [],
  attachments = noAttachments(),
): AsyncGenerator<Liveblog> {
  const site: WxrSite = { language: undefined, names: new Map(), terms: new Map() };
  const posts = new Map<string, WxrItem>();
  const entries = new Map<string, StoredEntry[]>();
  const rolling = noRollingCoverages();

  for await (const item of wxrItems(path, site)) {
    const field = (name: string) => item.fields.get(`wp:${name}`)?.trim() ?? '';
    if (item.entries.length > 0) {
      learnNames(item, site);
      const written = item.entries.map((comment) => entryOfComment(comment, site));
      if (isPublic(item)) yield liveblogOf(item, written, site, attachments);
      else hidden.push(titleOf(item));
      continue;
    }
    if (collectRolling(rolling, item, site)) continue;
    if (field('post_type') === 'attachment') addAttachment(attachments, attachmentOfPost(item));
    const parent = field('post_parent');
    if (![KIND, 'post'].includes(field('post_type'))) continue;
    if (parent !== '' && parent !== '0') {
      const together = entries.get(parent) ?? [];
      together.push(entryOfPost(item, site));
      entries.set(parent, together);
    } else if (isMarked(item)) posts.set(field('post_id'), item);
  }
  for (const [id, post] of posts) {
    const written = entries.get(id);
    if (written && isPublic(post)) yield liveblogOf(post, written, site, attachments);
    else if (written) hidden.push(titleOf(post));
  }
  for (const { post, entries } of rollingPosts(rolling, site)) {
    if (isPublic(post)) yield liveblogOf(post, entries, site, attachments);
    else hidden.push(titleOf(post));
  }
}

/** Whether readers can see the post. */
const isPublic = ({ fields }: WxrItem) =>
  fields.get('wp:status')?.trim() === 'publish' && !fields.get('wp:post_password')?.trim();

/** Whether the plugin treats the post as a liveblog: by its metadata, taxonomy or post type. */
const isMarked = (item: WxrItem) => stateOf(item) !== '' || item.fields.get('wp:post_type')?.trim() === KIND;

const stateOf = ({ meta, categories }: WxrItem) =>
  meta.get('liveblog')?.trim() ||
  (categories.find(({ domain }) => domain === 'liveblog_state')?.nicename ?? '');

const titleOf = ({ fields }: WxrItem) => lineOf(fields.get('title') ?? '');

/** Collects author names from entries, because contributors are stored by id only. */
function learnNames({ entries }: WxrItem, { names }: WxrSite): void {
  for (const { fields } of entries) {
    const [id, name] = [fields.get('wp:comment_user_id')?.trim(), fields.get('wp:comment_author')?.trim()];
    if (id && id !== '0' && name && !names.has(id)) names.set(id, name);
  }
}

function liveblogOf(
  item: WxrItem,
  written: StoredEntry[],
  { language }: WxrSite,
  attachments: Attachments,
): Liveblog {
  const { fields } = item;
  const title = titleOf(item);
  const name = fields.get('wp:post_name')?.trim() ?? '';
  const base = URL.parse(fields.get('link')?.trim() ?? '')?.href;
  const guid = fields.get('guid')?.trim() || `post ${fields.get('wp:post_id')?.trim()}`;
  const { entries, deleted } = entriesOf(written);
  const mistakes = [...(title ? [] : [IMPORT.wxr.title(guid)]), ...sameIds(written, guid)];

  const places = new Map(written.map(({ id }, index) => [id, index]));
  let wordless = 0;
  const items = entries.flatMap((entry) => {
    const index = places.get(entry.id) ?? 0;
    const read = itemOf(entry, { guid, base, index, attachments });
    if (read === null) wordless += 1;
    else if (typeof read === 'string') mistakes.push(IMPORT.wrongItem(index, `${guid}#${entry.id}`, read));
    else return [read];
    return [];
  });
  const excerpt = lineOf(fields.get('excerpt:encoded') ?? '');
  const own = fields.get('content:encoded') ?? '';
  const ownLine = lineOf(own);
  const isShort = own.length <= MAX_TITLE_MARKUP && ownLine.length <= LIMITS.standfirst;
  const description = excerpt || (isShort ? ownLine : '');
  return {
    title,
    slug: isSlug(name) ? name : suggestSlug(title),
    isOver: !/^enable/.test(stateOf(item)),
    feed: {
      title,
      description: shorten(description, LIMITS.standfirst) || undefined,
      language,
      items: inTimeOrder(items),
    },
    mistakes,
    deleted,
    wordless,
    hasOwnText: ownLine !== '' && ownLine !== description,
  };
}

/** Reports duplicate and missing ids. */
function sameIds(written: StoredEntry[], guid: string): string[] {
  const seen = new Map<string, number>();
  return written.flatMap(({ id }, index) => {
    const known = seen.get(id);
    seen.set(id, known ?? index);
    if (id === '') return [IMPORT.wrongItem(index, guid, IMPORT.wxr.id)];
    return known === undefined ? [] : [IMPORT.wrongItem(index, `${guid}#${id}`, IMPORT.item.sameId(known))];
  });
}

type EntryContext = { guid: string; base: string | undefined; index: number; attachments: Attachments };

/** Converts an entry to an item. Null when it has no text, or a sentence when it is invalid. */
function itemOf(
  { id, title, html, at, names, isKey, featuredImage }: Entry,
  { guid, base, index, attachments }: EntryContext,
): Item | string | null {
  if (html.length > MAX_HTML_LENGTH) return IMPORT.item.contentLong(MAX_HTML_LENGTH);
  const publishedAt = timeOf(at);
  if (!publishedAt) return IMPORT.wxr.time(at);
  try {
    const text = withFeaturedImage(html, featuredImage, attachments);
    const { body, pictures } = textFromWordPress(text, base, machineTime(publishedAt), attachments);
    if (body.length === 0) return null;
    return {
      index,
      id: `${guid}#${id}`,
      title: lineOf(title) || undefined,
      body,
      pictures,
      authors: names,
      tags: isKey ? ['key-event'] : [],
      publishedAt,
    };
  } catch (error) {
    if (error instanceof NestingError) return IMPORT.item.contentDeep;
    if (error instanceof ContentLongError) return IMPORT.item.contentLong(MAX_HTML_LENGTH);
    throw error;
  }
}

/** Parses WordPress's UTC times without a zone: `2026-03-01 14:05:00`. */
function timeOf(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return null;
  const at = new Date(`${text.replace(' ', 'T')}Z`);
  const isValid = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text.replace(' ', 'T'));
  return isValid ? at : null;
}

/** A title as plain text. */
function lineOf(html: string): string {
  return bodyText(bodyFromWordPress(html.slice(0, MAX_TITLE_MARKUP), undefined))
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Maximum length of a title's markup, in characters. It limits the nesting depth. */
const MAX_TITLE_MARKUP = 2_000;

/** The liveblogs to import: their positions in the export, and the slug of each coverage. */
type Survey = { selected: Map<number, string>; hidden: string[]; attachments: Attachments };

/** Result of one liveblog. */
export type LiveblogResult = Pick<Liveblog, 'title' | 'deleted' | 'wordless' | 'hasOwnText'> &
  (Imported | { result: null; mistakes: string[] });

type WxrImportOptions = Omit<FeedImportOptions, 'bodyOf'> & { source: PictureSource };

/**
 * Reads a whole WordPress export before anything is written, and selects the liveblogs to import. A slug selects the
 * liveblog with that slug; if there is only one, it gets this slug.
 * @throws BadFeed when the file is invalid or contains no such liveblog
 */
export async function surveyWxr(path: string, slug: string | undefined): Promise<Survey> {
  const hidden: string[] = [];
  const slugs: string[] = [];
  const attachments = noAttachments();
  for await (const liveblog of liveblogsIn(path, hidden, attachments)) slugs.push(liveblog.slug);
  if (slugs.length === 0) throw new BadFeed([IMPORT.wxr.none]);
  if (slug === undefined) return { selected: new Map(slugs.entries()), hidden, attachments };
  const position = slugs.length === 1 ? 0 : slugs.indexOf(slug);
  if (position < 0) throw new BadFeed([IMPORT.wxr.noneOf(slug, slugs)]);
  return { selected: new Map([[position, slug]]), hidden, attachments };
}

/** Imports the selected liveblogs, each as a coverage, completely or not at all. */
export async function* importWxr(
  service: BackendClient,
  path: string,
  { selected, attachments }: Survey,
  options: WxrImportOptions,
): AsyncGenerator<LiveblogResult> {
  const usedSlugs = new Set<string>();
  let position = 0;
  for await (const liveblog of liveblogsIn(path, [], attachments)) {
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

type Imported = { result: ImportResult; photos: number; left: LeftPicture[] };

async function importLiveblog(
  service: BackendClient,
  { feed, isOver }: Liveblog,
  { source, ...options }: WxrImportOptions,
): Promise<Imported | { result: null; mistakes: string[] }> {
  // A running liveblog becomes a live coverage. An existing coverage keeps its state.
  const state = options.state ?? (isOver ? 'ended' : undefined);
  const pictures = createPictureImporter(service, source);
  try {
    const result = await importFeed(service, feed, { ...options, state, bodyOf: pictures.bodyOf });
    return { result, ...pictures.report() };
  } catch (error) {
    if (error instanceof BadFeed) return { result: null, mistakes: error.mistakes };
    if (!(error instanceof Refused) || error.refusal.code === 'unavailable') throw error;
    return {
      result: null,
      mistakes: [IMPORT.failed(sentenceOf(error.refusal, messagesFor('en')), error.refusal.field)],
    };
  }
}

/*
 * Newspack's plugin Rolling Coverage stores each entry as a post and each coverage as a term of a taxonomy. Newspack's
 * main plugin stores each correction as a post that names the corrected one.
 */

const ENTRY = 'rolling_cov_entry';
const TAXONOMY = 'rolling_coverage';
const CORRECTION = 'newspack_correction';

/** An entry with the time and text of its corrections. */
type RollingEntry = StoredEntry & { link: string | undefined };

type RollingCoverage = { slug: string; name: string; entries: RollingEntry[] };

/** The parts of Rolling Coverage in an export, which stand there in any order. */
type RollingCoverages = {
  coverages: Map<string, RollingCoverage>;
  /** Corrections by the id of the corrected post, as HTML, in the order of the file. */
  corrections: Map<string, { at: string; html: string }[]>;
};

const noRollingCoverages = (): RollingCoverages => ({ coverages: new Map(), corrections: new Map() });

/** Collects a post if it is an entry or a correction. Returns whether it is one. */
function collectRolling({ coverages, corrections }: RollingCoverages, item: WxrItem, site: WxrSite) {
  const { fields, meta, categories } = item;
  const type = fields.get('wp:post_type')?.trim();
  if (type === CORRECTION) {
    const post = meta.get('newspack_correction-post-id')?.trim();
    if (post && isPublished(item)) {
      const kind = meta.get('newspack_corrections_type') === 'clarification' ? 'clarification' : 'correction';
      const at = fields.get('wp:post_date_gmt')?.trim() ?? '';
      const label = messagesFor(site.language).reader.note[kind];
      const html = `<p><b>${label}</b> (${at.slice(0, 10)}): ${fields.get('content:encoded') ?? ''}</p>`;
      corrections.set(post, [...(corrections.get(post) ?? []), { at, html }]);
    }
    return true;
  }
  if (type !== ENTRY) return false;
  const term = categories.find(({ domain }) => domain === TAXONOMY);
  // Readers see no entry without a coverage.
  if (!term) return true;
  const coverage = coverages.get(term.nicename) ?? { slug: term.nicename, name: term.name, entries: [] };
  coverages.set(term.nicename, coverage);
  const entry = entryOfPost(item, site);
  // The author of an entry from Slack is a robot.
  const fromSlack = meta.get('rolling_coverage_slack_author_name')?.trim();
  const names = fromSlack ? [fromSlack] : entry.names;
  const link = fields.get('link')?.trim();
  coverage.entries.push({ ...entry, names, link });
  return true;
}

const isPublished = ({ fields }: WxrItem) => fields.get('wp:status')?.trim() === 'publish';

/**
 * Returns each coverage in the form of a post with its entries. Status and description of a coverage are in exports of
 * all content only. Without them it counts as ended.
 */
function rollingPosts(
  { coverages, corrections }: RollingCoverages,
  { terms }: WxrSite,
): { post: WxrItem; entries: StoredEntry[] }[] {
  return [...coverages.values()].map(({ slug, name, entries }) => {
    const term = terms.get(`${TAXONOMY}/${slug}`);
    const status = term?.meta.get('rolling_coverage_status')?.trim() || (term ? 'active' : 'archived');
    return {
      post: {
        fields: new Map([
          ['title', name],
          ['guid', `${TAXONOMY}/${slug}`],
          ['link', entries.find(({ link }) => link)?.link ?? ''],
          ['excerpt:encoded', term?.fields.get('wp:term_description') ?? ''],
          ['wp:post_name', slug],
          ['wp:status', status === 'trash' ? 'trash' : 'publish'],
        ]),
        meta: new Map([['liveblog', status === 'archived' ? 'archive' : 'enable']]),
        categories: [],
        entries: [],
      },
      entries: entries.map((entry) => ({
        ...entry,
        html: [entry.html, ...corrected(corrections.get(entry.id))].join('\n'),
      })),
    };
  });
}

const corrected = (corrections: { at: string; html: string }[] = []) =>
  corrections.toSorted((a, b) => a.at.localeCompare(b.at)).map(({ html }) => html);
