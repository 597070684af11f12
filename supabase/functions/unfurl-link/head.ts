import { Parser } from 'htmlparser2';
import { LIMITS } from '../_shared/limits.ts';
import { TooMuch } from './http-client.ts';

/** Metadata of a page. */
export type Description = { title?: string; description?: string; site?: string };

/** Elements that may be in the head. Any other element starts the body. */
const IN_HEAD = new Set(['html', 'head', 'title', 'base', 'link', 'meta', 'style', 'script']);
/** Elements whose content is ignored. */
const ASIDE = new Set(['noscript', 'template', 'svg']);

/** Names of the same property in order of preference. */
const NAMES = {
  title: ['og:title', 'twitter:title', 'title'],
  description: ['og:description', 'description', 'twitter:description'],
  site: ['og:site_name'],
} as const;
const MOST = { title: LIMITS.link_title, description: LIMITS.link_description, site: LIMITS.link_site };

/**
 * Reads the metadata in the head of a page. Stops at the end of the head.
 * @param most maximum number of bytes; throws TooMuch if the head is longer
 * @param contentType Content-Type header
 */
export async function readHead(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  most: number,
): Promise<Description> {
  const head = headParser();
  let decoder: TextDecoder | undefined;
  let first: Uint8Array = new Uint8Array();
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > most) throw new TooMuch();
    if (decoder) head.write(decoder.decode(part, { stream: true }));
    else {
      first = joined(first, part);
      if (first.length < ENOUGH_FOR_CHARSET) continue;
      decoder = decoderFor(contentType, first);
      head.write(decoder.decode(first, { stream: true }));
    }
    if (head.isOver()) break;
  }
  if (!decoder) head.write(decoderFor(contentType, first).decode(first));
  return head.said();
}

function headParser() {
  const said = new Map<string, string>();
  let title: string | undefined;
  let aside = 0;
  let over = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (ASIDE.has(name)) aside++;
      if (aside > 0 || over) return;
      if (!IN_HEAD.has(name)) over = true;
      else if (name === 'title') title = said.has('title') ? undefined : '';
      else if (name === 'meta') note(attributes.property, attributes) || note(attributes.name, attributes);
    },
    ontext(text) {
      // Only the beginning of a title is used.
      if (title !== undefined && aside === 0 && title.length < 4 * LIMITS.link_title) title += text;
    },
    onclosetag(name) {
      if (ASIDE.has(name)) aside--;
      else if (name === 'title' && title !== undefined) {
        said.set('title', title);
        title = undefined;
      } else if (name === 'head' && aside === 0) over = true;
    },
  });

  function note(name: string | undefined, { content }: Record<string, string>): boolean {
    const key = name?.trim().toLowerCase();
    // `<meta name="title">` is not the title of the page.
    if (!key || key === 'title' || !content || !oneLine(content, 1)) return false;
    if (!said.has(key)) said.set(key, content);
    return true;
  }

  return {
    write: (text: string) => parser.write(text),
    isOver: () => over,
    said(): Description {
      if (title !== undefined) said.set('title', title);
      const found: Description = {};
      for (const part of ['title', 'description', 'site'] as const) {
        const text = NAMES[part].map((name) => oneLine(said.get(name) ?? '', MOST[part])).find(Boolean);
        if (text) found[part] = text;
      }
      return found;
    },
  };
}

/** Number of bytes in which browsers look for the encoding (HTML, 13.2.3.2). */
const ENOUGH_FOR_CHARSET = 1024;

function decoderFor(contentType: string, first: Uint8Array): TextDecoder {
  const start = new TextDecoder('latin1').decode(first.subarray(0, ENOUGH_FOR_CHARSET));
  const label = markOf(first) ?? charsetIn(contentType) ?? charsetIn(start) ?? 'utf-8';
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}

/** Returns the encoding of a byte order mark. */
function markOf([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return a === 0xff && b === 0xfe ? 'utf-16le' : undefined;
}

const charsetIn = (text: string) => /charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})/i.exec(text)?.[1];

/** Returns text on one line, without control characters and characters that change the writing direction. */
export function oneLine(text: string, most: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\p{Cc}\p{Z}\s]+/gu, ' ')
    .trim();
  const characters = [...line.slice(0, 2 * most + 2)];
  if (characters.length <= most) return line;
  return `${characters
    .slice(0, most - 1)
    .join('')
    .trimEnd()}…`;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
