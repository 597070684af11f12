import { siteUrl } from '../data/environment.ts';
import { livePath } from '../domain/coverages.ts';
import { publicStatus, type ReaderCoverage } from '../domain/reader-coverage.ts';
import type { Messages } from '../i18n/messages.ts';
import { plainAbsence } from './responses.ts';

/** Distinguishes our absences from the errors of a proxy, upon which a site must keep its copy. */
const ABSENT_STATUS = { not_found: 'not_found', gone: 'withdrawn' } as const;

/** Returns the headers of a coverage for other programs: its status, seq and canonical address (docs/embedding.md). */
export const headersForPrograms = (coverage: ReaderCoverage, type: 'text/html' | 'text/plain'): Headers =>
  new Headers({
    'Content-Type': `${type}; charset=utf-8`,
    'Stoppress-Status': publicStatus(coverage.state),
    'Stoppress-Seq': `${coverage.seq}`,
    Link: `<${coverage.canonical_url ?? siteUrl(livePath(coverage.slug))}>; rel="canonical"`,
  });

/** Answers programs for a missing or withdrawn coverage. */
export function absenceForPrograms(
  messages: Messages,
  code: 'not_found' | 'gone',
  cacheTags: string[],
): Response {
  const absence = plainAbsence(messages, code, cacheTags);
  absence.headers.set('Stoppress-Status', ABSENT_STATUS[code]);
  return absence;
}
