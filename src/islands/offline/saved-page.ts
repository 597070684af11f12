import { placeOf } from '../../lib/data/public-routes.ts';
import { feed } from '../../lib/i18n/feed.ts';
import { offline } from '../../lib/i18n/offline.ts';

/** What a saved page says of itself, read out of its markup: a worker has no other reader of HTML. */
export type SavedPage = {
  html: string;
  /** Of a page that is followed: the last change that it knows of, and what it was made by. */
  followed?: { seq: string; build: string; state: string; madeAt: number };
  /** The highest number among its updates, those taken back too; 0 without any. */
  newest: number;
  /** The numbers of the updates that it says were withdrawn. */
  withdrawn: number[];
};

/** The sentence that marks a copy, hidden in every page of ours that may be kept. */
const MARK = /(<p id="saved"[^>]*?)\shidden(?:="")?(?=[\s>])/;
const MAIN = /<main[^>]*\sid="coverage"[^>]*>/;

/** What a page says that its coverage does, where that may have ended since. */
const STATE = /(<p id="status"\s*><strong) class="(?:live|paused|scheduled)">[^<]*<\/strong>/;
const TIPS = /^\/tips(?:\?|$)/;

/** The copy as it is shown where the site cannot be asked: it says so, and no more what its coverage does. */
export function marked(html: string, key: string): string {
  const shown = html
    .replace(MARK, '$1')
    .replace(STATE, `$1 class="offline">${feed.offline}</strong><span>${feed.savedCopy}</span>`);
  return TIPS.test(key) ? shown.replace(/(<p id="saved"[^>]*>)/, `$1${offline.nothingSent} `) : shown;
}

/** The same page, about which the site has said at this time that nothing has changed. */
export function confirmed(html: string, at: number): string {
  const time = new Date(at).toISOString();
  return html.replace(MAIN, (main) => main.replace(/(\sdata-made=")[^"]*/, `$1${time}`));
}

/** Undefined where it is no page of ours, which says when it was made if it is told to: a hotel's is none. */
export function readSaved(html: string): SavedPage | undefined {
  if (!MARK.test(html)) return;
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
 * Has more come between two states of a live page than new updates, each of which is one change at least? Then
 * something that stood anywhere may not stand any more.
 */
export function isMoreThanNew(was: SavedPage, is: SavedPage): boolean {
  const changes = Number(is.followed?.seq) - Number(was.followed?.seq);
  return changes > 0 && changes > is.newest - was.newest;
}

/** Does a page, of whatever kind, still show one of these updates of a coverage as if it had not been withdrawn? */
export function stillShows(html: string, slug: string, numbers: number[]): boolean {
  const articles = articlesIn(html).filter((article) => numberOf(article) > 0);
  const shown = articles.filter((article) => !isWithdrawn(article)).map(numberOf);
  if (articles.length > 0) return numbers.some((number) => shown.includes(number));
  // Lists name an update by its address, and none that was withdrawn.
  return numbers.some((number) =>
    new RegExp(`"/live/${slug}(?:/${number}|[^"/#]*#update-${number})"`).test(html),
  );
}

/** What an answer of `changes` means for the saved page that it was asked for. */
export type Verdict = 'current' | 'changed' | 'gone';
/** With the change up to which it was asked for. */
type Judged = { verdict: Verdict; through: number };

/**
 * Beyond this a page that names times without their day could be taken for one of today. In milliseconds.
 */
const SAME_DAY_MS = 12 * 3600_000;

/**
 * Judges it. What was taken back must not be shown any more, however bad the line is; what has only become more may.
 * @param at when the answer was made, by the site's clock
 * @throws Error when it is no answer at all
 */
export function judge(answer: string, at: number, page: NonNullable<SavedPage['followed']>): Judged {
  const root = /<div[^>]*\sdata-changes[^>]*>/.exec(answer)?.[0];
  if (!root) throw new Error('not an answer');
  const articles = articlesIn(answer);
  const through = Number(dataOf(root, 'through'));
  if (articles.some(isWithdrawn)) return { verdict: 'gone', through };
  if (articles.length > 0 || answer.includes('<section')) return { verdict: 'changed', through };
  const same =
    dataOf(root, 'through') === page.seq &&
    dataOf(root, 'build') === page.build &&
    dataOf(root, 'state') === page.state;
  const says = /\sdata-(?:more|reload|settings)\b/.test(root);
  return { verdict: same && !says && at - page.madeAt < SAME_DAY_MS ? 'current' : 'changed', through };
}

const dataOf = (tag: string, name: string) => new RegExp(`\\sdata-${name}="([^"]*)"`).exec(tag)?.[1];

/**
 * What a visit of an address means to readers' worker: a public page, by the one address that it is kept under; or
 * anything else, which is not looked at. Null is for what the worker leaves alone altogether.
 */
export type Visited = { kind: 'page'; key: string } | { kind: 'other' } | null;

/** Not pages, or answers to what somebody has just sent. */
const LEFT_ALONE = /^\/(?:api|auth|rest|storage|realtime|functions|photos|_astro|(?:desk-)?sw\.js)(?:\/|$)/;

/** Kept by the site's cache, and yet no pages to come back to; nor is it a device's business what was looked for on it. */
const NO_PAGES =
  /^\/(?:404|robots\.txt|manifest\.webmanifest|search|opensearch\.xml|offline(?:\/desk)?|oembed|live\/[^/]+\/(?:changes|embed))(?:\?|$)/;

export function visitedAt({ pathname, search }: URL): Visited {
  if (LEFT_ALONE.test(pathname)) return null;
  // The very table that the site's shared cache goes by: what is not the same for everybody is not in it.
  const key = placeOf(pathname + search)?.key;
  return key === undefined || NO_PAGES.test(key) ? { kind: 'other' } : { kind: 'page', key };
}

/** The slug of the coverage whose live page this is, if it is one in the order in which it is followed. */
export const followedSlug = (key: string): string | undefined => /^\/live\/([^/?]+)$/.exec(key)?.[1];

/** The slug of the coverage that a page is one of, in whatever order, or with one update of it alone. */
export const slugOf = (key: string): string | undefined => /^\/live\/([^/?]+)/.exec(key)?.[1];

/** Does a page show something of this coverage? Lists may, in a line of theirs, and the form for tips about it. */
export function mayShow(key: string, slug: string): boolean {
  const isOfCoverage = slugOf(key) === slug || key === `/tips?coverage=${slug}`;
  return isOfCoverage || !/^\/(?:live|tips|about|privacy)(?:[/?]|$)/.test(key);
}
