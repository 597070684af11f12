import { LIMITS } from '../limits.ts';

/** What the database takes as a link: http or https, a host without credentials, nothing unencoded. */
const ADDRESS = /^https?:\/\/[^/?#\s@]+([/?#]\S*)?$/i;
const FORBIDDEN = /[\p{Cc}"<>\\^`{|}]/u;

/** The address as a link may carry it, encoded where it must be; null when it cannot be one. */
export function linkAddress(text: string): string | null {
  return [text, URL.parse(text)?.href].find((candidate) => candidate && isLink(candidate)) ?? null;
}

function isLink(text: string): boolean {
  return text.length <= LIMITS.url && ADDRESS.test(text) && !FORBIDDEN.test(text);
}

/** An address as people read it: host and path, without scheme, `www.` and a last slash. */
export function shortAddress(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
}
