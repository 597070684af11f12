/** A change that readers may see: the last one of its transaction in a coverage. */
export type CoverageMessage = {
  coverage: string;
  seq: number;
  tags: string[];
  /** Text was taken away. */
  removed: boolean;
  /** Where the coverage is now. */
  slug: string;
};

/** A change of what every page shows. */
export type SiteMessage = { site: number; tags: string[]; removed: boolean };

/** All that the database counts, at one moment: the site's changes, and those of each coverage that is no draft. */
export type Seqs = {
  site: number;
  /** By id: the last seq, the slug, and the slugs that it had before. */
  coverages: Map<string, { seq: number; slugs: string[] }>;
};

/** Reads a message of the topic `site`; null for what is none. */
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
 * Reads the answer of `site_seqs()`.
 * @throws Error when it is none
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
