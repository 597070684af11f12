import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodePath, isUncachedRoute, methodsOf } from '../domain/paths.ts';
import { defaultHeaders } from '../http/security-headers.ts';
import { REFUSALS } from '../i18n/cli.ts';
import { refuse } from './errors.ts';
import { hasInvalidSecret } from './route-limits.ts';

const SCRIPT_PATHS = /^\/api\/(?:push|device-follows|token|photos\/[^/]+)$/;

const reads = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Checks method and origin of requests to the site's pages. Expects rewritten headers (forwarding.ts). */
export function checkRequests(next: Answer): Answer {
  return (request, response) => {
    const path = decodePath(request.url ?? '');
    const methods = methodsOf(path ?? '');
    if (!methods.includes(request.method ?? '')) {
      response.setHeader('allow', methods.join(', '));
      return refuse(request, response, 405, REFUSALS.notThatWay, true);
    }
    // API calls of scripts have their own protection against cross-site requests.
    const isScriptCall = path !== null && SCRIPT_PATHS.test(path);
    if (reads(request) || isScriptCall || isSameSite(request)) return next(request, response);
    return refuse(request, response, 403, REFUSALS.fromElsewhere, true);
  };
}

/** Whether Astro must handle a request: every form, and reads of paths that can be a personal page. */
export function mayBePage(request: IncomingMessage): boolean {
  const path = decodePath(request.url ?? '');
  return !reads(request) || (path !== null && isUncachedRoute(path) && !hasInvalidSecret(path));
}

/** Whether a page of this site sent the request. Browsers send `Origin` with everything except GET and HEAD. */
function isSameSite({ headers }: IncomingMessage): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = headers;
  return (
    origin === `${headers['x-forwarded-proto']}://${headers.host}` &&
    !/^(?:cross|same)-site$/.test(String(site))
  );
}

/** Several `Host` headers are ambiguous (RFC 9112, 3.2), so such requests are refused. */
export const hasSeveralHosts = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((name, n) => n % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length >
  1;

/** Sets the default headers of responses that are not pages. A response may overwrite them. */
export function setDefaultHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(defaultHeaders())) response.setHeader(name, value);
}
