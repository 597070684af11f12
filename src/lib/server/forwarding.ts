import type { IncomingMessage } from 'node:http';
import { clientNetwork } from 'embedded-supabase';
import { log } from '../data/log.ts';
import { addressRange } from '../http/request.ts';
import { SERVER } from '../i18n/cli.ts';

/**
 * How the setting STOPPRESS_PROXIES differs from the proxies in front of the server.
 * - `proxy_not_declared`: a proxy exists, and the setting is 0. Clients cannot be distinguished, so they have no limits
 * of their own.
 * - `proxy_header_missing`: the setting is higher than the number of proxies that name the client. All clients share
 * one limit.
 */
type ProxyWarning = 'proxy_not_declared' | 'proxy_header_missing';

/** Headers by which proxies name the client or themselves. */
const HEADERS = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** Address ranges of the owner's proxies: this machine, or its network, as with containers. */
const LOCAL_RANGES = ['loopback', 'private', 'uniqueLocal', 'linkLocal'];

/**
 * After this many requests without the header, and none with it, it counts as missing. Health checks on this machine do
 * not send it.
 */
const MIN_REQUESTS = 20;

/** Compares the number of declared proxies with the headers of requests, and logs a difference once. */
export class ProxyCheck {
  readonly #proxies: number;
  readonly #isBehindTls: boolean;
  #warning: ProxyWarning | undefined;
  #isLogged = false;
  #without = 0;
  #hasNamedClient = false;

  /** @param siteUrl the public address; this server speaks no TLS, so https implies a proxy */
  constructor({ proxies, siteUrl = '' }: { proxies: number; siteUrl?: string }) {
    this.#proxies = proxies;
    this.#isBehindTls = siteUrl.startsWith('https:');
    if (proxies === 0 && this.#isBehindTls) this.#warning = 'proxy_not_declared';
  }

  warning(): ProxyWarning | undefined {
    return this.#warning;
  }

  /** Records the headers of a request. @returns whether it came through a proxy that the setting does not count */
  isUndeclared({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
    if (this.#proxies > 0) {
      this.#checkHeader(String(headers['x-forwarded-for'] ?? ''));
      return false;
    }
    if (!LOCAL_RANGES.includes(addressRange(socket.remoteAddress) ?? '')) return false;
    const isForwarded = HEADERS.some((name) => headers[name] !== undefined);
    if (isForwarded) this.#warn('proxy_not_declared', SERVER.proxyNotDeclared);
    return isForwarded || this.#isBehindTls;
  }

  #checkHeader(forwardedFor: string): void {
    if (this.#hasNamedClient) return;
    this.#hasNamedClient =
      forwardedFor.split(',').filter((address) => address.trim()).length >= this.#proxies;
    if (this.#hasNamedClient) this.#warning = undefined;
    else if (++this.#without >= MIN_REQUESTS)
      this.#warn('proxy_header_missing', SERVER.proxyHeaderMissing(this.#proxies));
  }

  #warn(warning: ProxyWarning, sentence: string): void {
    this.#warning = warning;
    if (!this.#isLogged) log.warn(sentence);
    this.#isLogged = true;
  }
}

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
  clients.set(request, isKnown ? clientNetwork(client) : undefined);
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
