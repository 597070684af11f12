import { createHash } from 'node:crypto';
import { isLookStyle } from '../domain/site-look.ts';

/** Minifies HTML responses and reduces their Content-Security-Policy. Other responses stay unchanged. */
export async function minifyResponse(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (!response.body || !headers.get('Content-Type')?.startsWith('text/html')) return response;
  const html = minifyMarkup(await response.text());
  const tokens = [...html.matchAll(TAGS)];
  const policy = headers.get('Content-Security-Policy');
  if (policy) headers.set('Content-Security-Policy', reducePolicy(policy, tokens));
  // Astro's length is that of the page before.
  headers.delete('Content-Length');
  return new Response(moveIslandScripts(html, tokens), { status, headers });
}

/**
 * Astro writes this before the first island, where no inline style is allowed. layouts/styles/base.css contains it
 * instead.
 */
const ISLAND_STYLE = '<style>astro-island,astro-slot,astro-static-slot{display:contents}</style>';

/**
 * Minifies markup: writes apostrophes as such, for which React and Astro write five or six characters. Every attribute
 * is in double quotes, and JSON in a page contains no such entities (publishing/structured-data.ts).
 */
export function minifyMarkup(html: string): string {
  return html.replace(ISLAND_STYLE, '').replaceAll('&#x27;', "'").replaceAll('&#39;', "'");
}

/**
 * Moves the scripts that Astro writes before the first island to the end of the page. They have six kilobytes, which
 * would arrive before the text of a page whose first island is at the top. The order of islands and scripts does not
 * matter, because browsers upgrade custom elements when they are defined.
 */
function moveIslandScripts(html: string, tokens: RegExpExecArray[]): string {
  const first = tokens.findIndex(([token]) => token.startsWith('<astro-island'));
  const end = tokens[first]?.index;
  const body = html.lastIndexOf('</body>');
  if (end === undefined || body < end) return html;
  let start = end;
  for (const { 0: script, 1: tag, index } of tokens.slice(0, first).reverse()) {
    if (tag !== 'script' || index + script.length !== start) break;
    start = index;
  }
  return html.slice(0, start) + html.slice(end, body) + html.slice(start, end) + html.slice(body);
}

/**
 * Matches tags, and scripts and styles with their content. All tags are matched, because attributes can contain user
 * text such as `<script>`.
 */
const TAGS = /<(script|style)\b[^>"]*(?:"[^"]*"[^>"]*)*>([\s\S]*?)<\/\1>|<\/?[a-z][^>"]*(?:"[^"]*"[^>"]*)*>/g;
const HASH = / 'sha256-([^']+)'/g;

/**
 * Reduces a policy to the inline scripts and styles that are on this page; the build lists those of the whole site. It
 * adds no hash, with one exception: the style with the look that an owner chose, which the build cannot know and which
 * contains nothing else.
 */
function reducePolicy(policy: string, tokens: RegExpExecArray[]): string {
  const inline = tokens.flatMap(([, tag, text = '']) => (tag ? [{ tag, text, digest: digestOf(text) }] : []));
  const here = new Set(inline.map(({ digest }) => digest));
  const ownStyles = inline
    .filter(({ tag, text }) => tag === 'style' && isLookStyle(text))
    .map(({ digest }) => ` 'sha256-${digest}'`);
  return policy
    .replace(HASH, (source, digest) => (here.has(digest) ? source : ''))
    .replace("style-src 'self'", (source) => source + ownStyles.join(''));
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64');
