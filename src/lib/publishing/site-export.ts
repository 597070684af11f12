import { setTimeout } from 'node:timers/promises';
import { type BackendClient, dataOf } from '../data/result.ts';
import { siteUrl } from '../data/site-address.ts';
import type { Json } from '../domain/database.types.ts';
import { machineTime } from '../domain/time.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused } from '../i18n/refusals.ts';

export type ExportRow = Record<string, Json>;

/** Personal data to include in the export. */
type SiteExportOptions = { tips: boolean; addresses: boolean };

/** Primary key columns of each part; `id` for all others. */
const KEYS: Record<string, string[]> = {
  site: ['here'],
  coverage_slugs: ['slug'],
  coverage_topics: ['coverage_id', 'topic_id'],
  coverage_members: ['coverage_id', 'person_id'],
  coverage_revisions: ['coverage_id', 'version'],
  update_bylines: ['update_id', 'person_id'],
  update_photos: ['update_id', 'photo_id'],
  update_revisions: ['update_id', 'version'],
  coverage_changes: ['coverage_id', 'seq'],
};
const keyOf = (part: string): string[] => KEYS[part] ?? ['id'];

/** A recorded export: its key for reading pages, and its parts in order. */
export type StartedExport = { idempotency_key: string; parts: string[] };

/**
 * Starts an export with the owner's permissions, and records it in the audit log.
 * @throws Refused `forbidden` unless the caller is an owner
 */
export async function beginExport(
  backend: BackendClient,
  { tips, addresses }: SiteExportOptions,
): Promise<StartedExport> {
  const idempotency_key = crypto.randomUUID();
  const started = await dataOf(backend.rpc('begin_export', { idempotency_key, tips, addresses }));
  return { idempotency_key, parts: (started as Pick<StartedExport, 'parts'>).parts };
}

/** A long export uses up the rate limit of its owner. The limit allows 30 requests a second. */
const RATE_LIMIT_PAUSE_MS = 1_000;
const MAX_RATE_LIMIT_MS = 60_000;

async function waitOutRateLimit(readPage: () => Promise<unknown>): Promise<ExportRow[]> {
  const deadline = performance.now() + MAX_RATE_LIMIT_MS;
  for (;;) {
    try {
      return (await readPage()) as ExportRow[];
    } catch (error) {
      const isLimited = error instanceof Refused && error.refusal.code === 'rate_limited';
      if (!isLimited || performance.now() > deadline) throw error;
      await setTimeout(RATE_LIMIT_PAUSE_MS);
    }
  }
}

/** Reads the rows of a part with one page in memory at a time. The database checks the permission for every page. */
export async function* exportRows(
  backend: BackendClient,
  part: string,
  { idempotency_key }: Pick<StartedExport, 'idempotency_key'>,
): AsyncGenerator<ExportRow> {
  for (let after: ExportRow | undefined; ; ) {
    const rows = await waitOutRateLimit(() =>
      dataOf(backend.rpc('export_page', { export: idempotency_key, part, ...(after && { after }) })),
    );
    const last = rows.at(-1);
    if (!last) return;
    yield* rows;
    after = Object.fromEntries(keyOf(part).map((column) => [column, last[column] ?? null]));
  }
}

/** Statistics of a part of the archive. */
export type PartStatistics = { part: string; rows: number; fields: string[] };

/** Returns the text of the archive's README: the content, size and fields of each file. */
export function exportReadme(
  messages: Messages,
  site: string,
  parts: PartStatistics[],
  photos: { count: number; missing: string[] },
  now = new Date(),
): string {
  const { readme } = messages.takeaway;
  const number = new Intl.NumberFormat(messages.language);
  const files = parts.map(({ part, rows, fields }) => {
    const names = fields.length > 0 ? fields.join(', ') : readme.none;
    const description = readme.part(`${part}.jsonl`, readme.rows(rows, number.format(rows)), names);
    return `${readme.parts[part] ?? ''}\n${description}`;
  });
  const missing = photos.missing.length > 0 ? [`${readme.missing}\n${photos.missing.join('\n')}`] : [];
  return `${[
    readme.head(site, siteUrl('/'), machineTime(now)),
    readme.how,
    readme.notBackup,
    ...files,
    `photos/: ${readme.photos(photos.count, number.format(photos.count))}.`,
    ...missing,
  ].join('\n\n')}\n`;
}
