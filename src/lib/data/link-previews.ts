import { type Link, normalizeUrl } from '../domain/body/blocks.ts';
import { type BackendClient, functionData } from './result.ts';

/** Normalises a typed URL, also without its scheme; null if it cannot be a URL. */
export function parseTypedUrl(text: string): string | null {
  const typed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  // Some browsers parse almost any text as a URL. A real one has a host with a dot or a port, and no white space.
  const isUrl = /^[^:]+:\/\/[^/?#]*[^/?#.][.:][^/?#]/.test(whole) && !/\s/.test(whole);
  return isUrl && URL.canParse(whole) ? normalizeUrl(whole) : null;
}

/**
 * Returns the title and description of a page as a link block.
 * @throws Refused
 */
export async function fetchLinkPreview(backend: BackendClient, url: string): Promise<Link> {
  const preview = await functionData(backend.functions.invoke('unfurl-link', { body: { url } }));
  const { title, description, site } = preview as Omit<Link, 'type' | 'url'>;
  return { type: 'link', url, title, ...(description ? { description } : {}), ...(site ? { site } : {}) };
}

/** Appends a URL on its own line to a text. */
export function appendUrlLine(body: string, url: string): string {
  const before = body.trimEnd();
  // Without the empty line, the URL would become part of a list or quote.
  return `${before}${before ? '\n\n' : ''}${url}\n`;
}

/** Removes the last line that consists of this URL only. */
export function removeUrlLine(body: string, url: string): string {
  const lines = body.split('\n');
  const last = lines.findLastIndex((line) => line.trim() === url);
  if (last < 0) return body;
  const before = lines.slice(0, last).join('\n').trimEnd();
  const after = lines.slice(last + 1).join('\n');
  return after.trim() === '' ? before : `${before}\n${after}`;
}
