import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodePath, isUncachedRoute, methodsOf } from '../domain/paths.ts';
import { defaultHeaders } from '../http/security-headers.ts';
import { REFUSALS } from '../i18n/cli.ts';
import { clientNetworkOf, limitConnections, refuseConnection } from './connections.ts';
import { assignRequestId, handleRequest, refuse } from './errors.ts';
import { type Forwarding, rewriteHeaders } from './forwarding.ts';
import { createHttpServer, type Listening, listen, originOf } from './listening.ts';
import { type BackendProxy, carriesFile, isForBackend } from './proxy.ts';
import { isPhotoForm, limitBodyTime, limitForms } from './request-bodies.ts';
import { hasInvalidSecret } from './route-limits.ts';

export type ServerParts = {
  /** Answers from the page cache if a fresh response is stored. Absent when there is no cache. */
  serveStored?(request: IncomingMessage, response: ServerResponse): boolean;
  /** Serves the site's pages and files. */
  site(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
  /** Absent when browsers call the backend directly. */
  backend: BackendProxy | undefined;
};

/**
 * Opens the port before anything slow begins.
 * @param port 0 chooses a free one
 * @throws PortInUse
 */
export async function openPort(host: string, port: number): Promise<Listening> {
  const listening = openOuterServer(originOf(host, port));
  await listen(listening, { host, port });
  return listening;
}

/** Creates a server that does not listen yet. @param url the origin on which it will listen */
export const openOuterServer = (url: string): Listening => createHttpServer(url, wantsSocket);

/** Whether a request is upgraded to a WebSocket. Any other upgrade is ignored and answered as a plain request. */
function wantsSocket({ url, headers, httpVersion }: IncomingMessage): boolean {
  if (headers.upgrade?.toLowerCase() !== 'websocket' || httpVersion !== '1.1') return false;
  const path = pathOf(url);
  return path !== null && isForBackend(path) && normalizePath(path) === path;
}

/**
 * Routes requests: the backend's paths to the backend, all others to the site. Requests wait until both have started.
 */
export function serveRequests(
  { server, url, responses }: Listening,
  starting: Promise<ServerParts>,
  { siteUrl, proxies, proxyCheck }: Omit<Forwarding, 'ownUrls'>,
  handleMonitoring: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): void {
  const forwarding = {
    siteUrl,
    proxies,
    proxyCheck,
    ownUrls: [url, url.replace('//127.0.0.1:', '//localhost:')],
  };

  let running: ServerParts | undefined;
  const started = starting.then(
    (parts) => {
      running = parts;
      return parts;
    },
    () => undefined,
  );

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts = await started;
    // A client that left while the server started has been forgotten by the limits.
    if (!parts || response.destroyed) return void response.destroy();
    const path = pathOf(request.url);
    if (!path || request.method === 'TRACE' || hasSeveralHosts(request)) {
      return refuse(request, response, 400, REFUSALS.notUnderstood);
    }
    request.url = path;
    rewriteHeaders(request, forwarding);
    const normalized = normalizePath(path);
    if (parts.backend && isForBackend(path)) {
      // An unusual spelling could reach paths of the backend that only its own machine may use.
      if (normalized !== path) return refuse(request, response, 400, REFUSALS.notUnderstood);
      setDefaultHeaders(response);
      return parts.backend.call(request, response);
    }
    const plain = withoutLastSlash(normalized);
    if (plain !== path) return redirect(request, response, plain);
    if (acceptsBody(request, response)) return parts.site(request, response);
  };
  const acceptsBody = limitForms();
  const acceptsRequest = limitConnections(server, proxies > 0 ? () => undefined : clientNetworkOf);
  server.on('request', (request, response) => {
    limitBodyTime(request, response, carriesFile(request.url) || isPhotoForm(request));
    // Stored responses are the same for all clients and hosts, so the request need not be rewritten for them.
    if (running?.serveStored?.(request, response) || handleMonitoring(request, response)) return;
    if (!acceptsRequest(request, response)) return;
    responses.add(response);
    response.once('close', () => responses.delete(response));
    handleRequest(request, response, route);
  });
  server.on('upgrade', async (request, socket, head) => {
    // Until the backend takes the socket, no other listener exists, and an error would end the process.
    socket.on('error', () => socket.destroy());
    const parts = await started;
    if (!parts || socket.destroyed) return void socket.destroy();
    if (!parts.backend) return refuseConnection(socket, 404, REFUSALS.notUnderstood);
    assignRequestId(request);
    request.url = pathOf(request.url) ?? undefined;
    rewriteHeaders(request, forwarding);
    parts.backend.upgrade(request, socket, head);
  });
  server.on('connect', (_request, socket) => refuseConnection(socket, 405, REFUSALS.notUnderstood));
}

/** Path and query of the request target, which may be an absolute URL (RFC 9112, 3.2.2). Null for anything else. */
function pathOf(target = ''): string | null {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url && /^https?:$/.test(url.protocol) ? url.pathname + url.search : null;
}

/**
 * Normalises a path: without dot segments, backslashes and empty segments. Astro accepts every spelling, but cache and
 * limits know only this one.
 */
function normalizePath(path: string): string {
  const cut = path.indexOf('?');
  const { pathname } = new URL(`http://site${cut < 0 ? path : path.slice(0, cut)}`);
  return pathname.replace(/\/{2,}/g, '/') + (cut < 0 ? '' : path.slice(cut));
}

/** Removes a trailing slash. Paths that begin with `/_` are folders of a build and stay unchanged. */
const withoutLastSlash = (path: string) => path.replace(/^(\/(?!_)[^?]*)\/(?=\?|$)/, '$1');

function redirect(request: IncomingMessage, response: ServerResponse, location: string): void {
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (reads) response.writeHead(301, { ...defaultHeaders(), location }).end();
  else refuse(request, response, 400, REFUSALS.notUnderstood);
}

const SCRIPT_PATHS = /^\/api\/(?:push|device-follows|token|wordpress-transfer|photos\/[^/]+)$/;

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
const hasSeveralHosts = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.filter((name, n) => n % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length >
  1;

/** Sets the default headers of responses that are not pages. A response may overwrite them. */
export function setDefaultHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(defaultHeaders())) response.setHeader(name, value);
}
