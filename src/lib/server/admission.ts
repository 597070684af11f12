import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodePath, methodsOf } from '../domain/paths.ts';
import { isUncachedRoute } from '../domain/routes.ts';
import { bareHeaders } from '../http/security-headers.ts';
import { REFUSALS } from '../i18n/cli.ts';
import { refuse } from './errors.ts';
import { hasImpossibleSecret } from './route-limits.ts';

const BY_SCRIPTS = /^\/api\/(?:push|token|photos\/[^/]+)$/;

const reads = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * Lets a request to the site's own pages through when it may be answered: by its method, and by where it was sent from.
 * Its headers have been rewritten (forwarding.ts).
 */
export function admitting(next: Answer): Answer {
  return (request, response) => {
    const path = decodePath(request.url ?? '');
    const methods = methodsOf(path ?? '');
    if (!methods.includes(request.method ?? '')) {
      response.setHeader('allow', methods.join(', '));
      return refuse(request, response, 405, REFUSALS.notThatWay, true);
    }
    // What is called by scripts says it in its own words.
    const isAsked = path !== null && BY_SCRIPTS.test(path);
    if (reads(request) || isAsked || isFromHere(request)) return next(request, response);
    return refuse(request, response, 403, REFUSALS.fromElsewhere, true);
  };
}

/** Whether the pages have to be asked: what is only read, and neither kept nor made for one asker, is nothing of theirs. */
export function mayBePage(request: IncomingMessage): boolean {
  const path = decodePath(request.url ?? '');
  return !reads(request) || (path !== null && isUncachedRoute(path) && !hasImpossibleSecret(path));
}

/** Was it sent by a page of this site? Browsers name the page's with all that is not only read. */
function isFromHere({ headers }: IncomingMessage): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = headers;
  return (
    origin === `${headers['x-forwarded-proto']}://${headers.host}` &&
    !/^(?:cross|same)-site$/.test(String(site))
  );
}

/** One that says more than once whom it asks is understood differently by each who reads it (RFC 9112, 3.2). */
export const namesTwoHosts = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((name, n) => n % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length >
  1;

/** What answers of others than our pages carry, unless they say something else. */
export function giveHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(bareHeaders())) response.setHeader(name, value);
}
