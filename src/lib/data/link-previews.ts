import { type Link, normalizeUrl } from '../domain/body/blocks.ts';
import type { Backend } from './desk.ts';
import { functionData } from './result.ts';

/** The address that somebody means who types one, also without its beginning; null when it can be none. */
export function typedAddress(text: string): string | null {
  const typed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  // Some browsers read an address into anything: what it is has a host with a dot, or a port, and no white space.
  const isOne = /^[^:]+:\/\/[^/?#]*[^/?#.][.:][^/?#]/.test(whole) && !/\s/.test(whole);
  return isOne && URL.canParse(whole) ? normalizeUrl(whole) : null;
}

/** What the page at an address says of itself, as a block of the body. @throws Refused */
export async function unfurl(backend: Backend, url: string): Promise<Link> {
  const found = await functionData(backend.functions.invoke('unfurl-link', { body: { url } }));
  const { title, description, site } = found as Omit<Link, 'type' | 'url'>;
  return { type: 'link', url, title, ...(description ? { description } : {}), ...(site ? { site } : {}) };
}

/** The text with an address alone on a line of its own, after everything else. */
export function withLine(body: string, url: string): string {
  const before = body.trimEnd();
  // An empty line before it: else it would be the end of a list or a quote.
  return `${before}${before ? '\n\n' : ''}${url}\n`;
}

/** The text without the last line that holds nothing but this address. */
export function withoutLine(body: string, url: string): string {
  const lines = body.split('\n');
  const last = lines.findLastIndex((line) => line.trim() === url);
  if (last < 0) return body;
  const before = lines.slice(0, last).join('\n').trimEnd();
  const after = lines.slice(last + 1).join('\n');
  return after.trim() === '' ? before : `${before}\n${after}`;
}
