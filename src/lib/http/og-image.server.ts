import { Refused, refusal } from '../i18n/refusals.ts';
import { type Card, digestOf } from '../publishing/og-image/card.ts';
import { drawingDoor } from '../publishing/og-image/queue.ts';
import { declarePage } from './cache-policy.ts';

/**
 * Serves an Open Graph image, cached and purged like the page that it represents.
 * @throws Refused when it cannot be drawn now
 */
export async function serveCard(card: Card, cacheTags: string[]): Promise<Response> {
  const png = await drawingDoor.draw?.(card);
  if (!png) throw new Refused(refusal('unavailable'));
  const headers = new Headers({ 'Content-Type': 'image/png' });
  declarePage(headers, cacheTags, digestOf(card));
  return new Response(new Uint8Array(png), { headers });
}
