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

export const isAddress = (host: string): boolean => ipaddr.isValid(host);

/** Returns true for a public address. An address that embeds another one (mapped, translated, tunnelled) is not. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return !CLOUD_ADDRESSES.includes(address.toString());
  return !address.zoneId && address.match(GLOBAL_UNICAST);
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });
