/** Message about a coverage: the last public change of a transaction. */
export type CoverageMessage = {
  coverage: string;
  seq: number;
  tags: string[];
  /** Whether content was removed. */
  removed: boolean;
  /** Current slug of the coverage. */
  slug: string;
};

/** Message about a change that affects every page, such as the site's settings. */
export type SiteMessage = { site: number; tags: string[]; removed: boolean };

/** Snapshot of all sequences: of the site and of each coverage that is not a draft. */
export type Seqs = {
  site: number;
  /** By coverage id: the last seq, the current slug and its former slugs. */
  coverages: Map<string, { seq: number; slugs: string[] }>;
};

/** Parses a message of the topic `site`. Returns null when it is malformed. */
export function readMessage(payload: unknown): CoverageMessage | SiteMessage | null {
  if (!isRecord(payload)) return null;
  const { coverage, seq, removed, slug, site, tags } = payload;
  if (!isTexts(tags)) return null;
  const change = { tags, removed: removed !== false };
  if (isCount(site)) return { site, ...change };
  if (typeof coverage !== 'string' || !isCount(seq) || typeof slug !== 'string') return null;
  return { coverage, seq, slug, ...change };
}

/**
 * Parses the result of `site_seqs()`.
 * @throws Error when it is malformed
 */
export function readSeqs(answer: unknown): Seqs {
  const { site, coverages } = isRecord(answer) ? answer : {};
  if (!isCount(site) || !isRecord(coverages)) throw new Error('This is no answer of site_seqs().');
  return { site, coverages: new Map(Object.entries(coverages).map(([id, row]) => [id, readRow(row)])) };
}

function readRow(row: unknown): { seq: number; slugs: string[] } {
  const [seq, ...slugs] = Array.isArray(row) ? (row as unknown[]) : [];
  if (!isCount(seq) || !isTexts(slugs)) throw new Error('This is no row of site_seqs().');
  return { seq, slugs };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
