import type { IncomingMessage } from 'node:http';
import { network } from '../http/request.ts';
import type { ProxyCheck } from './proxy-check.ts';

export type Forwarding = {
  /** The configured address of the site. */
  siteUrl: string;
  /** Addresses at which this very server listens. */
  ownUrls: string[];
  /** How many of the owner's proxies stand in front. */
  proxies: number;
  /** Compares that number with the headers that arrive. */
  proxyCheck?: ProxyCheck;
};

const clients = new WeakMap<IncomingMessage, string | undefined>();

/**
 * The network of the client that has sent a request: an IPv4 address, or the first 64 bits of an IPv6 one. Undefined
 * when it is not known, and for requests of this process.
 */
export const clientOf = (request: IncomingMessage): string | undefined => clients.get(request);

/** What else proxies and frameworks believe of an address, a method or a visitor: nothing here does, so none comes in. */
const BELIEVED = [
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

const FORWARDED = [
  'forwarded',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-for',
];

/**
 * Rewrites a request so that what is behind may believe its headers: the address is the configured one, never
 * what a client calls us, and the only client address is the one that we have seen.
 */
export function rewrite(request: IncomingMessage, forwarding: Forwarding): void {
  const { protocol, host } = new URL(addressOf(request, forwarding));
  const client = clientAddress(request, forwarding.proxies);
  const isKnown = client !== undefined && !forwarding.proxyCheck?.isUndeclared(request);
  clients.set(request, isKnown ? network(client) : undefined);
  for (const name of [...FORWARDED, ...BELIEVED]) delete request.headers[name];
  request.headers.host = host;
  request.headers['x-forwarded-host'] = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  if (client) request.headers['x-forwarded-for'] = client;
  if (isPressedAnywhere(request)) {
    delete request.headers.cookie;
    delete request.headers['sec-fetch-site'];
    request.headers.origin = `${protocol}//${host}`;
  }
}

/**
 * The one form that may come from anywhere: mail programs send it, and say of no origin (RFC 8058). Whoever has its address
 * may; nothing else of whoever sends it counts, so no page elsewhere can have anything done in another's name by it.
 */
const isPressedAnywhere = ({ method, url = '' }: IncomingMessage) =>
  method === 'POST' && /^\/unsubscribe\/[\w-]+(?:\?|$)/.test(url);

/**
 * The configured address, but for one case: a form that was posted at an address we listen on, and says so twice.
 * Else no form would work on the owner's own machine once the site has its public name.
 */
function addressOf({ headers }: IncomingMessage, { siteUrl, ownUrls }: Forwarding): string {
  const own = ownUrls.find((url) => url === headers.origin);
  return own && new URL(own).host === headers.host ? own : siteUrl;
}

/** The address that our outermost proxy saw, or that of the socket. */
function clientAddress(request: IncomingMessage, proxies: number): string | undefined {
  const seen = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  return (proxies > 0 ? seen.at(-proxies) : undefined) ?? request.socket.remoteAddress;
}
