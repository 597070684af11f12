import { createHash } from 'node:crypto';
import { isColourStyle } from '../domain/colours.ts';

/** A page, or an answer made of markup, with no more around its words than it needs; whatever else as it is. */
export async function lean(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (!response.body || !headers.get('Content-Type')?.startsWith('text/html')) return response;
  const html = leanMarkup(await response.text());
  const policy = headers.get('Content-Security-Policy');
  if (policy) headers.set('Content-Security-Policy', leanPolicy(policy, html));
  return new Response(html, { status, headers });
}

/** What Astro writes before the first island of a page, where no style may stand: layouts/styles/base.css says it. */
const ISLAND_STYLE = '<style>astro-island,astro-slot,astro-static-slot{display:contents}</style>';

/**
 * Markup as it is sent: apostrophes are written out, where React and Astro make five or six characters of each. Every
 * attribute stands in double quotes, and JSON in a page has none of these in it (lib/seo/json-ld.ts).
 */
export function leanMarkup(html: string): string {
  return html.replace(ISLAND_STYLE, '').replaceAll('&#x27;', "'").replaceAll('&#39;', "'");
}

/**
 * Every tag, and what stands in those of scripts and styles. Tags are gone through one by one because words of people
 * stand in their attributes as they were typed, `<script>` too.
 */
const TAGS = /<(script|style)\b[^>"]*(?:"[^"]*"[^>"]*)*>([\s\S]*?)<\/\1>|<\/?[a-z][^>"]*(?:"[^"]*"[^>"]*)*>/g;
const HASH = / 'sha256-([^']+)'/g;

/**
 * A policy that allows no more than what stands in this very page. The build lists every inline script and style of
 * the whole site in each page's policy; of those, the ones that are here stay. None is ever added: what slipped in is
 * refused as before. The one exception are the owner's colours, which no build knows: a style that says colours and nothing else.
 */
function leanPolicy(policy: string, html: string): string {
  const inline = [...html.matchAll(TAGS)].flatMap(([, tag, text = '']) =>
    tag ? [{ tag, text, digest: digestOf(text) }] : [],
  );
  const here = new Set(inline.map(({ digest }) => digest));
  const colours = inline
    .filter(({ tag, text }) => tag === 'style' && isColourStyle(text))
    .map(({ digest }) => ` 'sha256-${digest}'`);
  return policy
    .replace(HASH, (source, digest) => (here.has(digest) ? source : ''))
    .replace("style-src 'self'", (source) => source + colours.join(''));
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64');
