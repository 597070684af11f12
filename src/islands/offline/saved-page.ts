import { cacheRouteOf } from '../../lib/data/public-routes.ts';
import * as en from '../../lib/i18n/en/live-feed.ts';
import * as es from '../../lib/i18n/es/live-feed.ts';
import { type Language, supportedLanguage } from '../../lib/i18n/language.ts';

/** A saved page, parsed with patterns because workers have no HTML parser. */
export type SavedPage = {
  html: string;
  /** For a followed page: its last change, its build and state, and its time. */
  followed?: { seq: string; build: string; state: string; madeAt: number };
  /** Highest update number including withdrawn ones; 0 without updates. */
  newest: number;
  /** Numbers of its withdrawn updates. */
  withdrawn: number[];
};

/** The note on a saved copy, hidden in every page that may be saved. */
const SAVED_NOTE = /(<p id="saved"[^>]*?)\shidden(?:="")?(?=[\s>])/;
const MAIN = /<main[^>]*\sid="coverage"[^>]*>/;

/** The coverage's state in the status line, which may be outdated. */
const STATE = /(<p id="status"[^>]*><strong) class="(?:live|paused|scheduled)">[^<]*<\/strong>/;
const TIPS = /^\/tips(?:\?|$)/;

/** Messages of the notes. The worker has those of all languages, so that pages need not carry them. */
const MESSAGES: Record<Language, Pick<typeof en, 'feed' | 'offline'>> = { en, es };

/** The messages in the language of a page's interface, as `documentLanguage` chooses it. */
function messagesOf(html: string) {
  const root = /<html[^>]*>/.exec(html)?.[0] ?? '';
  const tag = dataOf(root, 'words') ?? /\slang="([^"]*)"/.exec(root)?.[1];
  return MESSAGES[supportedLanguage(tag ?? '') ?? 'en'];
}

/** The copy for an unreachable site: with the note, without the coverage's state. */
export function withSavedNote(html: string, key: string): string {
  const { feed, offline } = messagesOf(html);
  const shown = html
    .replace(SAVED_NOTE, '$1')
    .replace(STATE, `$1 class="offline">${feed.offline}</strong><span>${feed.savedCopy}</span>`);
  return TIPS.test(key) ? shown.replace(/(<p id="saved"[^>]*>)/, `$1${offline.nothingSent} `) : shown;
}

/** The copy with the time at which the site confirmed it. */
export function withCheckTime(html: string, at: number): string {
  const time = new Date(at).toISOString();
  return html.replace(MAIN, (main) => main.replace(/(\sdata-made=")[^"]*/, `$1${time}`));
}

/** Parses a page. Undefined for other pages, such as a captive portal. */
export function readSaved(html: string): SavedPage | undefined {
  if (!SAVED_NOTE.test(html)) return;
  const page = {
    html,
    newest: Number(/\sdata-newest="(\d+)"/.exec(html)?.[1] ?? 0),
    withdrawn: withdrawnIn(html),
  };
  const main = MAIN.exec(html)?.[0];
  const [seq, build, state, made] = ['seq', 'build', 'state', 'made'].map((name) => dataOf(main ?? '', name));
  const madeAt = Date.parse(made ?? '');
  if (seq === undefined || build === undefined || state === undefined || !madeAt) return page;
  return { ...page, followed: { seq, build, state, madeAt } };
}

const articlesIn = (html: string): string[] => html.match(/<article[^>]*>/g) ?? [];
const isWithdrawn = (article: string) => /\sclass="[^"]*\bwithdrawn\b/.test(article);
const numberOf = (article: string) => Number(/\sid="update-(\d+)"/.exec(article)?.[1]);
const withdrawnIn = (html: string) => articlesIn(html).filter(isWithdrawn).map(numberOf);

/**
 * Whether two versions of a live page differ by more changes than new updates, so that older content may be withdrawn.
 */
export function hasMoreThanNewUpdates(before: SavedPage, after: SavedPage): boolean {
  const changes = Number(after.followed?.seq) - Number(before.followed?.seq);
  return changes > 0 && changes > after.newest - before.newest;
}

/** Whether a page of any kind still shows one of these withdrawn updates. */
export function showsUpdates(html: string, slug: string, numbers: number[]): boolean {
  const articles = articlesIn(html).filter((article) => numberOf(article) > 0);
  const shown = articles.filter((article) => !isWithdrawn(article)).map(numberOf);
  if (articles.length > 0) return numbers.some((number) => shown.includes(number));
  // Lists name updates by their URLs and leave withdrawn ones out.
  return numbers.some((number) =>
    new RegExp(`"/live/${slug}(?:/${number}|[^"/#]*#update-${number})"`).test(html),
  );
}

/** Result of comparing a saved page with a changes response. */
export type Comparison = 'current' | 'changed' | 'gone';
/** The result with the last change that the response covers. */
type ComparisonResult = { comparison: Comparison; through: number };

/** Age limit in milliseconds: a page shows times without a day, so an older one could look like today's. */
const SAME_DAY_MS = 12 * 3600_000;

/**
 * Compares a saved page with a changes response. A page with withdrawn or uncorrected content must not be shown any
 * more; an incomplete one may.
 * @param at time of the response by the site's clock
 * @throws Error for an invalid response
 */
export function compareWithChanges(
  changes: string,
  at: number,
  page: NonNullable<SavedPage['followed']>,
): ComparisonResult {
  const root = /<div[^>]*\sdata-changes[^>]*>/.exec(changes)?.[0];
  if (!root) throw new Error('not an answer');
  const articles = articlesIn(changes);
  const through = Number(dataOf(root, 'through'));
  if (articles.some(isWithdrawn) || /\sclass="note"/.test(changes)) return { comparison: 'gone', through };
  if (articles.length > 0 || changes.includes('<section')) return { comparison: 'changed', through };
  const same =
    dataOf(root, 'through') === page.seq &&
    dataOf(root, 'build') === page.build &&
    dataOf(root, 'state') === page.state;
  const hasOtherChanges = /\sdata-(?:more|reload|settings)\b/.test(root);
  return {
    comparison: same && !hasOtherChanges && at - page.madeAt < SAME_DAY_MS ? 'current' : 'changed',
    through,
  };
}

const dataOf = (tag: string, name: string) => new RegExp(`\\sdata-${name}="([^"]*)"`).exec(tag)?.[1];

/**
 * Meaning of a URL for the readers' worker: a public page with its cache key, or another page. Null for URLs that the
 * worker ignores.
 */
type NavigationTarget = { kind: 'page'; key: string } | { kind: 'other' } | null;

/** Not pages, or answers to a form. */
const IGNORED = /^\/(?:api|auth|rest|storage|realtime|functions|photos|_astro|(?:desk-)?sw\.js)(?:\/|$)/;

/** In the site's cache but not worth saving. Searches are private to the reader. */
const NOT_SAVED =
  /^\/(?:404|robots\.txt|manifest\.webmanifest|search|opensearch\.xml|offline(?:\/desk)?|oembed|live\/[^/]+\/(?:changes|embed|part))(?:\?|$)/;

export function navigationTarget({ pathname, search }: URL): NavigationTarget {
  if (IGNORED.test(pathname)) return null;
  // Uses the routes of the shared cache, which contain only pages that are the same for everyone.
  const key = cacheRouteOf(pathname + search)?.key;
  return key === undefined || NOT_SAVED.test(key) ? { kind: 'other' } : { kind: 'page', key };
}

/** Slug of a live page in its followed order. */
export const followedSlug = (key: string): string | undefined => /^\/live\/([^/?]+)$/.exec(key)?.[1];

/** Slug of any page of a coverage. */
export const slugOf = (key: string): string | undefined => /^\/live\/([^/?]+)/.exec(key)?.[1];

/** Whether a page may show content of this coverage. Lists may, and the tip form for it. */
export function mayShow(key: string, slug: string): boolean {
  const isOfCoverage = slugOf(key) === slug || key === `/tips?coverage=${slug}`;
  return isOfCoverage || !/^\/(?:live|tips|about|privacy)(?:[/?]|$)/.test(key);
}
