import { messagesFor } from '../../i18n/messages.server.ts';
import { entryOfPost, type StoredEntry, type WxrItem, type WxrSite } from './wxr.ts';

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
export type RollingCoverages = {
  coverages: Map<string, RollingCoverage>;
  /** Corrections by the id of the corrected post, as HTML, in the order of the file. */
  corrections: Map<string, { at: string; html: string }[]>;
};

export const noRollingCoverages = (): RollingCoverages => ({ coverages: new Map(), corrections: new Map() });

/** Collects a post if it is an entry or a correction. Returns whether it is one. */
export function collectRolling({ coverages, corrections }: RollingCoverages, item: WxrItem, site: WxrSite) {
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
export function rollingPosts(
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
