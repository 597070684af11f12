import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';

/**
 * How the setting STOPPRESS_PROXIES differs from what stands in front.
 * - `proxy_not_declared`: a proxy does, and the setting is 0. Clients cannot be told apart, so they have no limits of their own.
 * - `proxy_header_missing`: the setting is higher than the number of proxies that name the client. All share one limit.
 */
export type ProxyWarning = 'proxy_not_declared' | 'proxy_header_missing';

/** Headers by which proxies name the client or themselves. */
const HEADERS = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** Where a proxy of the owner stands: on this machine, or in its network, as that of a container does. */
const NEAR = ['loopback', 'private', 'uniqueLocal', 'linkLocal'];

/** Requests without the header, and none with it, after which it counts as missing: a probe on this machine sends none. */
const ENOUGH = 20;

/** Compares the number of declared proxies with the headers of requests, and logs a difference once. */
export class ProxyCheck {
  readonly #proxies: number;
  readonly #isBehindTls: boolean;
  #warning: ProxyWarning | undefined;
  #isLogged = false;
  #without = 0;
  #hasNamedClient = false;

  /** @param siteUrl where visitors find the site: this server speaks no TLS, so https means that a proxy does */
  constructor({ proxies, siteUrl = '' }: { proxies: number; siteUrl?: string }) {
    this.#proxies = proxies;
    this.#isBehindTls = siteUrl.startsWith('https:');
    if (proxies === 0 && this.#isBehindTls) this.#warning = 'proxy_not_declared';
  }

  warning(): ProxyWarning | undefined {
    return this.#warning;
  }

  /** Notes the headers of a request. @returns whether it came through a proxy that the setting does not count */
  isUndeclared({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
    if (this.#proxies > 0) {
      this.#noteNamed(String(headers['x-forwarded-for'] ?? ''));
      return false;
    }
    if (!isNear(socket.remoteAddress)) return false;
    const isForwarded = HEADERS.some((name) => headers[name] !== undefined);
    if (isForwarded) this.#warn('proxy_not_declared', SERVER.proxyNotDeclared);
    return isForwarded || this.#isBehindTls;
  }

  #noteNamed(forwardedFor: string): void {
    if (this.#hasNamedClient) return;
    this.#hasNamedClient =
      forwardedFor.split(',').filter((address) => address.trim()).length >= this.#proxies;
    if (this.#hasNamedClient) this.#warning = undefined;
    else if (++this.#without >= ENOUGH)
      this.#warn('proxy_header_missing', SERVER.proxyHeaderMissing(this.#proxies));
  }

  #warn(warning: ProxyWarning, sentence: string): void {
    this.#warning = warning;
    if (!this.#isLogged) log.warn(sentence);
    this.#isLogged = true;
  }
}

function isNear(address = ''): boolean {
  const plain = address.replace(/%.*$/, '');
  return ipaddr.isValid(plain) && NEAR.includes(ipaddr.process(plain).range());
}
