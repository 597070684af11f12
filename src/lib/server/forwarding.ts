import type { IncomingMessage } from 'node:http';
import { network } from '../http/request.ts';
import type { ProxyCheck } from './proxy-check.ts';

export type Forwarding = {
  /** Public address of the site. */
  siteUrl: string;
  /** Origins on which this server listens. */
  ownUrls: string[];
  /** Number of trusted proxies in front of the server. */
  proxies: number;
  /** Compares that number with the headers of requests. */
  proxyCheck?: ProxyCheck;
};

const clients = new WeakMap<IncomingMessage, string | undefined>();

/**
 * The client network of a request: an IPv4 address or an IPv6 /64. Undefined when it is not known, and for requests of
 * this process.
 */
export const clientOf = (request: IncomingMessage): string | undefined => clients.get(request);

/** Headers that proxies and frameworks trust for addresses, methods or clients. They are removed. */
const REMOVED_HEADERS = [
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'x-forwarded-prefix',
  'x-forwarded-server',
  'x-forwarded-scheme',
  'x-forwarded-ssl',
  'x-host',
  'x-real-ip',
  'true-client-ip',
];

const FORWARDED_HEADERS = [
  'forwarded',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-for',
];

/**
 * Rewrites the headers so that pages and backend can trust them: host and scheme come from the configured address, and
 * the client address from the connection or the trusted proxies.
 */
export function rewriteHeaders(request: IncomingMessage, forwarding: Forwarding): void {
  const { protocol, host } = new URL(addressOf(request, forwarding));
  const client = clientAddress(request, forwarding.proxies);
  const isKnown = client !== undefined && !forwarding.proxyCheck?.isUndeclared(request);
  clients.set(request, isKnown ? network(client) : undefined);
  for (const name of [...FORWARDED_HEADERS, ...REMOVED_HEADERS]) delete request.headers[name];
  request.headers.host = host;
  request.headers['x-forwarded-host'] = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  if (client) request.headers['x-forwarded-for'] = client;
  if (isOneClickUnsubscribe(request)) {
    delete request.headers.cookie;
    delete request.headers['sec-fetch-site'];
    request.headers.origin = `${protocol}//${host}`;
  }
}

/**
 * One-click unsubscribe (RFC 8058): mail programs post this form without an origin. The secret in its address is the
 * only credential, so cookies are removed and a foreign page gains nothing by sending it.
 */
const isOneClickUnsubscribe = ({ method, url = '' }: IncomingMessage) =>
  method === 'POST' && /^\/unsubscribe\/[\w-]+(?:\?|$)/.test(url);

/**
 * The configured address, or one of this server's own if a form was posted from it: `Origin` and `Host` both name it.
 * That keeps forms working on the owner's machine under `localhost`.
 */
function addressOf({ headers }: IncomingMessage, { siteUrl, ownUrls }: Forwarding): string {
  const own = ownUrls.find((url) => url === headers.origin);
  return own && new URL(own).host === headers.host ? own : siteUrl;
}

/** The address that the outermost trusted proxy saw, or that of the socket. */
function clientAddress(request: IncomingMessage, proxies: number): string | undefined {
  const seen = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  return (proxies > 0 ? seen.at(-proxies) : undefined) ?? request.socket.remoteAddress;
}
