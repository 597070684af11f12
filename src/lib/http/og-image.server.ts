import { Refused, refusal } from '../i18n/refusals.ts';
import { type OgImage, ogImageBridge, ogImageDigest } from '../publishing/og-image/og-image.ts';
import { declarePage } from './cache-policy.ts';

/**
 * Serves an Open Graph image, cached and purged like the page that it represents.
 * @throws Refused when it cannot be drawn now
 */
export async function serveOgImage(card: OgImage, cacheTags: string[]): Promise<Response> {
  const png = await ogImageBridge.render?.(card);
  if (!png) throw new Refused(refusal('unavailable'));
  const headers = new Headers({ 'Content-Type': 'image/png' });
  declarePage(headers, cacheTags, ogImageDigest(card));
  return new Response(new Uint8Array(png), { headers });
}
