import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';

/**
 * How the setting STOPPRESS_PROXIES differs from the proxies in front of the server.
 * - `proxy_not_declared`: a proxy exists, and the setting is 0. Clients cannot be distinguished, so they have no limits
 * of their own.
 * - `proxy_header_missing`: the setting is higher than the number of proxies that name the client. All clients share
 * one limit.
 */
export type ProxyWarning = 'proxy_not_declared' | 'proxy_header_missing';

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
    if (!isLocal(socket.remoteAddress)) return false;
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

function isLocal(address = ''): boolean {
  const plain = address.replace(/%.*$/, '');
  return ipaddr.isValid(plain) && LOCAL_RANGES.includes(ipaddr.process(plain).range());
}
