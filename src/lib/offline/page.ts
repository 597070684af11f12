/** What a saved page says of itself, read out of its markup: a worker has no other reader of HTML. */
export type SavedPage = {
  html: string;
  /** Of a page that is followed: the last change that it knows of, and what it was made by. */
  followed?: { seq: string; build: string; state: string; madeAt: number };
};

/** The sentence that marks a copy, hidden in every page of ours that may be kept. */
const MARK = /(<p id="saved"[^>]*?)\shidden(?:="")?(?=[\s>])/;
const MAIN = /<main[^>]*\sid="coverage"[^>]*>/;

export const marked = (html: string): string => html.replace(MARK, '$1');

/** The same page, about which the site has said at this time that nothing has changed. */
export function confirmed(html: string, at: number): string {
  const time = new Date(at).toISOString();
  return html.replace(MAIN, (main) => main.replace(/(\sdata-made=")[^"]*/, `$1${time}`));
}

/** Undefined where it is no page of ours, which says when it was made if it is told to: a hotel's is none. */
export function readSaved(html: string): SavedPage | undefined {
  if (!MARK.test(html)) return;
  const main = MAIN.exec(html)?.[0];
  const [seq, build, state, made] = ['seq', 'build', 'state', 'made'].map((name) => dataOf(main ?? '', name));
  const madeAt = Date.parse(made ?? '');
  if (seq === undefined || build === undefined || state === undefined || !madeAt) return { html };
  return { html, followed: { seq, build, state, madeAt } };
}

/** What an answer of `changes` means for the saved page that it was asked for. */
export type Verdict = 'current' | 'changed' | 'gone';

/**
 * Beyond this a page that names times without their day could be taken for one of today. In milliseconds.
 */
const SAME_DAY_MS = 12 * 3600_000;

/**
 * Judges it. What was taken back must not be shown any more, however bad the line is; what has only become more may.
 * @param at when the answer was made, by the site's clock
 * @throws Error when it is no answer at all
 */
export function judge(answer: string, at: number, page: NonNullable<SavedPage['followed']>): Verdict {
  const root = /<div[^>]*\sdata-changes[^>]*>/.exec(answer)?.[0];
  if (!root) throw new Error('not an answer');
  const articles = answer.match(/<article[^>]*>/g) ?? [];
  if (articles.some((article) => /\sclass="[^"]*\bwithdrawn\b/.test(article))) return 'gone';
  if (articles.length > 0 || answer.includes('<section')) return 'changed';
  const same =
    dataOf(root, 'through') === page.seq &&
    dataOf(root, 'build') === page.build &&
    dataOf(root, 'state') === page.state;
  const says = /\sdata-(?:more|reload|settings)\b/.test(root);
  return same && !says && at - page.madeAt < SAME_DAY_MS ? 'current' : 'changed';
}

const dataOf = (tag: string, name: string) => new RegExp(`\\sdata-${name}="([^"]*)"`).exec(tag)?.[1];
