import ipaddr from 'ipaddr.js';
import { LIMITS } from './limits.ts';
import { Refused } from './refusals.ts';

/** Links that the database accepts: a host without credentials or brackets, no unencoded characters. */
const LINK = /^https?:\/\/[^/?#@:%[\]\s]+(:\d{1,5})?([/?#]\S*)?$/i;
const FORBIDDEN = /[\p{Cc}"<>\\^`{|}]/u;

/** Default ports. Other ports may belong to internal services. */
const PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** The only IPv6 range assigned to the public internet. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Public addresses that lead to services of the cloud provider inside the machine: Azure (learn.microsoft.com, "What
 * is IP address 168.63.129.16?").
 */
const CLOUD_ADDRESSES = ['168.63.129.16'];

export type ConnectionTarget = {
  url: URL;
  /** Host name or address, without brackets and trailing dot. */
  host: string;
  port: number;
  isSecure: boolean;
};

/**
 * Returns the URL of a link.
 * @throws Refused `invalid`
 */
export function readLink(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text.length > LIMITS.url || !LINK.test(text) || FORBIDDEN.test(text)) throw refuse('invalid_address');
  return text;
}

/**
 * Returns the connection target of a URL. The WHATWG URL parser has already normalised unusual spellings of IP
 * addresses.
 * @throws Refused `invalid` if the URL may not be opened
 */
export function connectionTarget(text: string, base?: URL): ConnectionTarget {
  const url = URL.parse(text, base);
  const port = url && PORTS[url.protocol];
  if (!url || !port || url.username || url.password) throw refuse('invalid_address');
  if (url.port !== '') throw refuse('address_not_public');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (host === '') throw refuse('invalid_address');
  if (isAddress(host) && !isPublicAddress(host)) throw refuse('address_not_public');
  return { url, host, port, isSecure: url.protocol === 'https:' };
}

/**
 * Returns the connection target of a URL whose origin the operator of the server allows although it is in a private
 * network. Undefined for another origin.
 */
export function privateTarget(url: URL, privateOrigin: string | undefined): ConnectionTarget | undefined {
  if (privateOrigin === undefined || url.origin !== URL.parse(privateOrigin)?.origin || url.username) {
    return undefined;
  }
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port) || (isSecure ? 443 : 80);
  return { url, host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, isSecure };
}

const isAddress = (host: string): boolean => ipaddr.isValid(host);

/** Returns true for a public address. An address that embeds another one (mapped, translated, tunnelled) is not. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return !CLOUD_ADDRESSES.includes(address.toString());
  return !address.zoneId && address.match(GLOBAL_UNICAST);
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });

/** An open connection. */
export type TcpConnection = {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
  close(): void;
};

/** Network access, replaceable in tests. */
export type NetworkAccess = {
  /** Returns all IPv4 and IPv6 addresses of a name. Throws if there are none. */
  resolve(name: string, signal: AbortSignal): Promise<string[]>;
  /** Connects to exactly this address; uses TLS for the target's host if it is secure. */
  connect(address: string, target: ConnectionTarget, signal: AbortSignal): Promise<TcpConnection>;
};

/**
 * Resolves the name once, requires all its addresses to be public, and connects to one of them.
 * @throws Refused, or any connection error
 */
export async function connect(
  target: ConnectionTarget,
  net: NetworkAccess,
  signal: AbortSignal,
): Promise<TcpConnection> {
  const { host } = target;
  const addresses = isAddress(host) ? [host] : await net.resolve(host, signal);
  if (addresses.length === 0) throw new Refused('unavailable', 'page_unreachable');
  if (!addresses.every(isPublicAddress)) throw refuse('address_not_public');
  let last: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await net.connect(address, target, signal);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

const MAX_ADDRESSES = 4;
