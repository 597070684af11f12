import { createHash } from 'node:crypto';

/** A page, or an answer made of markup, with no more around its words than it needs; whatever else as it is. */
export async function lean(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (!response.body || !headers.get('Content-Type')?.startsWith('text/html')) return response;
  const html = leanMarkup(await response.text());
  const policy = headers.get('Content-Security-Policy');
  if (policy) headers.set('Content-Security-Policy', leanPolicy(policy, html));
  return new Response(html, { status, headers });
}

/**
 * Markup as it is sent: apostrophes are written out, where React and Astro make five or six characters of each. Every
 * attribute stands in double quotes, and JSON in a page has none of these in it (lib/seo/json-ld.ts).
 */
export function leanMarkup(html: string): string {
  return html.replaceAll('&#x27;', "'").replaceAll('&#39;', "'");
}

const INLINE = /<(script|style)\b[^>]*>([\s\S]*?)<\/\1>/g;
const HASH = / 'sha256-([^']+)'/g;

/**
 * A policy that allows no more than what stands in this very page. The build lists every inline script and style of
 * the whole site in each page's policy; of those, the ones that are here stay. None is ever added: what slipped in is
 * refused as before. So is a script whose own tag holds `>` in an attribute: it is not found here.
 */
export function leanPolicy(policy: string, html: string): string {
  const here = new Set(
    [...html.matchAll(INLINE)].map(([, , text = '']) => createHash('sha256').update(text).digest('base64')),
  );
  return policy.replace(HASH, (source, digest) => (here.has(digest) ? source : ''));
}
