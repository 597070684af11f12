import {
  findCoverage,
  type KeyEventList,
  readKeyEventList,
  readPinned,
  readUrgent,
} from '../data/coverages.ts';
import { readSite, type Site } from '../data/site.ts';
import { type Changes, isTooFarBehind, readChanges, readNewestUpdate } from '../data/updates.ts';
import { type ChangesRequest, parseChangesRequest } from '../domain/coverages.ts';
import type { ReaderCoverage } from '../domain/reader-coverage.ts';
import type { ReaderUpdate } from '../domain/updates.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { declareRefusal, tags } from './cache-policy.ts';
import { redirectTo, refusalResponse } from './responses.ts';

/** Content of a changes response. Parts that did not change are absent. */
type ChangesContent = {
  coverage: ReaderCoverage;
  site: Site;
  /** The reader should load the page instead. */
  farBehind: boolean;
  changes: Changes;
  /** The urgent and the newest update above the list. */
  top?: { urgent: ReaderUpdate | null; newest: ReaderUpdate | null };
  pinned?: ReaderUpdate | null;
  keyEvents?: KeyEventList;
};

/** Reads the changes of a coverage. Returns a response instead when the request is refused or redirected. */
export async function respondToChangesRequest(
  messages: Messages,
  slug: string,
  parameters: URLSearchParams,
): Promise<ChangesContent | Response> {
  const request = parseChangesRequest(parameters);
  if (!request) return refusalResponse(refusal('invalid', { field: 'after' }), messages);
  try {
    const [result, site] = await Promise.all([findCoverage(slug), readSite()]);
    if (result.kind === 'moved') return redirectToSlug(result.slug, request);
    if (result.kind !== 'coverage') return refuse(messages, result.kind);
    if (result.coverage.seq < request.until) return refusalResponse(tooEarly(), messages);
    return { site, ...(await readResponse(result.coverage, request.after)) };
  } catch (error) {
    // Readers poll every few seconds, so a refusal is short instead of an error page.
    return refusalResponse(refusalOrThrow(error), messages);
  }
}

async function readResponse(coverage: ReaderCoverage, after: number): Promise<Omit<ChangesContent, 'site'>> {
  if (isTooFarBehind(coverage.seq, after)) {
    const changes = { through: after, more: false, updates: [], parts: [] };
    return { coverage, farBehind: true, changes };
  }
  const changes = await readChanges(coverage, after);
  const [top, pinned, keyEvents] = await Promise.all([
    changes.parts.includes('top') ? readTop(coverage, changes.updates) : undefined,
    changes.parts.includes('pinned') ? readPinned(coverage) : undefined,
    changes.parts.includes('key-events') ? readKeyEventList(coverage) : undefined,
  ]);
  return { coverage, farBehind: false, changes, top, pinned, keyEvents };
}

async function readTop(coverage: ReaderCoverage, updates: ReaderUpdate[]) {
  const last = updates.find(({ number }) => number === coverage.update_count);
  const [urgent, newest] = await Promise.all([
    readUrgent(coverage),
    last?.state === 'published' ? last : readNewestUpdate(coverage.id),
  ]);
  return { urgent, newest };
}

function refuse(messages: Messages, code: 'gone' | 'not_found'): Response {
  const answer = refusalResponse(refusal(code), messages);
  declareRefusal(answer.headers, code, [tags.site, tags.missing]);
  return answer;
}

/** The client knows of a change that this server cannot read yet. */
const tooEarly = (): Refusal => refusal('unavailable', { retryAfter: 1 });

function redirectToSlug(slug: string, { after, until }: ChangesRequest): Response {
  const location = `/live/${slug}/changes?after=${after}${until > 0 ? `&until=${until}` : ''}`;
  return redirectTo(location, 301, [tags.site, tags.missing]);
}
