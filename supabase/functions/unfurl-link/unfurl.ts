import { Parser } from 'htmlparser2';
import { type HttpResponse, ResponseTooLarge } from '../_shared/http-client.ts';
import { LIMITS } from '../_shared/limits.ts';
import type { NetworkAccess } from '../_shared/network.ts';
import { openAddress, PAGE_LIMITS, requireAnswer } from '../_shared/open-address.ts';
import { Refused } from '../_shared/refusals.ts';

type LinkMetadata = PageMetadata & { title: string };

/**
 * Returns the metadata of the page at a URL.
 * @throws Refused `invalid`, `too_large`, `unavailable`
 */
export async function unfurl(link: string, net: NetworkAccess, limits = PAGE_LIMITS): Promise<LinkMetadata> {
  const read = (response: HttpResponse) => readPage(response, limits.bytes);
  const { title, ...more } = await openAddress(
    { link, accept: 'text/html,application/xhtml+xml', read },
    net,
    limits,
  );
  return { title: title ?? titleFromUrl(link), ...more };
}

async function readPage({ status, headers, body }: HttpResponse, bytes: number): Promise<PageMetadata> {
  requireAnswer(status);
  if (status !== 200) throw refuse('page_not_found');
  const type = headers.get('content-type') ?? '';
  if (!/^(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)) throw refuse('not_a_web_page');
  return readPageMetadata(body, type, bytes);
}

/** Returns host and path as the title of a page without one. */
function titleFromUrl(link: string): string {
  return cleanLine(link.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, ''), LIMITS.link_title);
}

const refuse = (reason: string) => new Refused('invalid', reason, { field: 'url' });

/** Metadata of a page. */
export type PageMetadata = { title?: string; description?: string; site?: string };

/** Elements that may be in the head. Any other element starts the body. */
const HEAD_ELEMENTS = new Set(['html', 'head', 'title', 'base', 'link', 'meta', 'style', 'script']);
/** Elements whose content is ignored. */
const IGNORED_ELEMENTS = new Set(['noscript', 'template', 'svg']);

/** Names of the same property in order of preference. */
const PROPERTY_NAMES = {
  title: ['og:title', 'twitter:title', 'title'],
  description: ['og:description', 'description', 'twitter:description'],
  site: ['og:site_name'],
} as const;
const MAX_LENGTHS = {
  title: LIMITS.link_title,
  description: LIMITS.link_description,
  site: LIMITS.link_site,
};

/**
 * Reads the metadata in the head of a page. Stops at the end of the head.
 * @param max maximum number of bytes; throws ResponseTooLarge if the head is longer
 * @param contentType Content-Type header
 */
export async function readPageMetadata(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  max: number,
): Promise<PageMetadata> {
  const head = headParser();
  let decoder: TextDecoder | undefined;
  let first: Uint8Array = new Uint8Array();
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > max) throw new ResponseTooLarge();
    if (decoder) head.write(decoder.decode(part, { stream: true }));
    else {
      first = concatenate(first, part);
      if (first.length < CHARSET_SEARCH_BYTES) continue;
      decoder = decoderFor(contentType, first);
      head.write(decoder.decode(first, { stream: true }));
    }
    if (head.hasEnded()) break;
  }
  if (!decoder) head.write(decoderFor(contentType, first).decode(first));
  return head.properties();
}

function headParser() {
  const properties = new Map<string, string>();
  let title: string | undefined;
  let ignoredDepth = 0;
  let ended = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth++;
      if (ignoredDepth > 0 || ended) return;
      if (!HEAD_ELEMENTS.has(name)) ended = true;
      else if (name === 'title') title = properties.has('title') ? undefined : '';
      else if (name === 'meta')
        addProperty(attributes.property, attributes) || addProperty(attributes.name, attributes);
    },
    ontext(text) {
      // Only the beginning of a title is used.
      if (title !== undefined && ignoredDepth === 0 && title.length < 4 * LIMITS.link_title) title += text;
    },
    onclosetag(name) {
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth--;
      else if (name === 'title' && title !== undefined) {
        properties.set('title', title);
        title = undefined;
      } else if (name === 'head' && ignoredDepth === 0) ended = true;
    },
  });

  function addProperty(name: string | undefined, { content }: Record<string, string>): boolean {
    const key = name?.trim().toLowerCase();
    // `<meta name="title">` is not the title of the page.
    if (!key || key === 'title' || !content || !cleanLine(content, 1)) return false;
    if (!properties.has(key)) properties.set(key, content);
    return true;
  }

  return {
    write: (text: string) => parser.write(text),
    hasEnded: () => ended,
    properties(): PageMetadata {
      if (title !== undefined) properties.set('title', title);
      const description: PageMetadata = {};
      for (const part of ['title', 'description', 'site'] as const) {
        const text = PROPERTY_NAMES[part]
          .map((name) => cleanLine(properties.get(name) ?? '', MAX_LENGTHS[part]))
          .find(Boolean);
        if (text) description[part] = text;
      }
      return description;
    },
  };
}

/** Number of bytes in which browsers look for the encoding (HTML, 13.2.3.2). */
const CHARSET_SEARCH_BYTES = 1024;

/** Returns the decoder for the encoding that a byte order mark, the Content-Type header or the first bytes name. */
export function decoderFor(contentType: string, first: Uint8Array): TextDecoder {
  const start = new TextDecoder('latin1').decode(first.subarray(0, CHARSET_SEARCH_BYTES));
  const label = byteOrderMark(first) ?? charsetIn(contentType) ?? charsetIn(start) ?? 'utf-8';
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}

/** Returns the encoding of a byte order mark. */
function byteOrderMark([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return a === 0xff && b === 0xfe ? 'utf-16le' : undefined;
}

const charsetIn = (text: string) => /charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})/i.exec(text)?.[1];

/** A character that a reader sees, as in `private.has_visible_text`. U+2800 is the empty Braille pattern. */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\ufffe\uffff\u2800\s]/u;

/**
 * Returns text on one line, without control characters and characters that change the writing direction. Returns '' if
 * none of its characters is visible.
 */
export function cleanLine(text: string, max: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\p{Cc}\p{Z}\s]+/gu, ' ')
    .trim();
  if (!VISIBLE.test(line)) return '';
  const characters = [...line.slice(0, 2 * max + 2)];
  if (characters.length <= max) return line;
  return `${characters
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}

function concatenate(a: Uint8Array, b: Uint8Array): Uint8Array {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
