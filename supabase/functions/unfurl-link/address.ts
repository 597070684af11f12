import ipaddr from 'ipaddr.js';
import { LIMITS } from '../_shared/limits.ts';
import { Refused } from '../_shared/refused.ts';

/** As the database takes the address of a link: a host without credentials or brackets, nothing unencoded. */
const LINK = /^https?:\/\/[^/?#@:%[\]\s]+(:\d{1,5})?([/?#]\S*)?$/i;
const FORBIDDEN = /[\p{Cc}"<>\\^`{|}]/u;

/** The ports that pages are served at; anything else is somebody's own service. */
const PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** Of IPv6 only this has ever been given to the open net. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Public by their numbers, but what answers there is the cloud's own and belongs to the machine that asks: Azure's
 * (learn.microsoft.com, "What is IP address 168.63.129.16?").
 */
const OF_THE_CLOUD = ['168.63.129.16'];

export type Target = {
  url: URL;
  /** The host as a name or an address, without brackets and without the dot of the root. */
  host: string;
  port: number;
  isSecure: boolean;
};

/**
 * The address that a person gave, as a link may carry it.
 * @throws Refused `invalid`
 */
export function linkOf(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text.length > LIMITS.url || !LINK.test(text) || FORBIDDEN.test(text)) throw refuse('invalid_address');
  return text;
}

/**
 * Where to go for an address, and whether one may at all by how it is written. A spelling of a number as a host has
 * become that number already (WHATWG URL).
 * @throws Refused `invalid`
 */
export function targetOf(text: string, base?: URL): Target {
  const url = URL.parse(text, base);
  const port = url && PORTS[url.protocol];
  if (!url || !port || url.username || url.password) throw refuse('invalid_address');
  if (url.port !== '') throw refuse('address_not_public');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (host === '') throw refuse('invalid_address');
  if (isAddress(host) && !isPublic(host)) throw refuse('address_not_public');
  return { url, host, port, isSecure: url.protocol === 'https:' };
}

export const isAddress = (host: string): boolean => ipaddr.isValid(host);

/** Whether an address is one of the open net. What leads to another (mapped, translated, tunnelled) is not. */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return !OF_THE_CLOUD.includes(address.toString());
  return !address.zoneId && address.match(GLOBAL_UNICAST);
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });
