import { siteUrl } from '../site/address.ts';
import { takeaway } from '../text/export.ts';
import { currentLanguage } from '../text/language.ts';
import { machineTime } from '../time/clock.ts';

/** A part as it went into the archive. */
export type Counted = { part: string; rows: number; fields: string[] };

/** What an archive says of itself, in words: what is in each file, how much, and by which fields. */
export function readmeOf(
  site: string,
  parts: Counted[],
  photos: { count: number; missing: string[] },
  now = new Date(),
): string {
  const words = takeaway.readme;
  const number = new Intl.NumberFormat(currentLanguage());
  const files = parts.map(({ part, rows, fields }) => {
    const names = fields.length > 0 ? fields.join(', ') : words.none;
    const said = words.part(`${part}.jsonl`, words.rows(rows, number.format(rows)), names);
    return `${words.parts[part] ?? ''}\n${said}`;
  });
  const missing = photos.missing.length > 0 ? [`${words.missing}\n${photos.missing.join('\n')}`] : [];
  return `${[
    words.head(site, siteUrl('/'), machineTime(now)),
    words.how,
    words.notBackup,
    ...files,
    `photos/: ${words.photos(photos.count, number.format(photos.count))}.`,
    ...missing,
  ].join('\n\n')}\n`;
}
