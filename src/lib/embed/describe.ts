import { CARD_SIZE, cardPath, coverageCard, drawnCard } from '../cards/card.ts';
import type { ReaderCoverage } from '../coverage/coverage.ts';
import { siteUrl } from '../site/address.ts';
import type { Site } from '../site/read.ts';
import type { Question } from './question.ts';
import { FRAME_HEIGHT, snippetOf } from './snippet.ts';

/** How wide a frame is at the most, in pixels: about as wide as the column of updates with its times. */
const FRAME_WIDTH = 700;

/** How long an answer may be kept by who asked, in seconds: headlines change. */
const CACHE_AGE_S = 300;

/** Is the site of this address ours? Some ask by the protocol that it had once. */
export const isOurs = (host: string): boolean => new URL(siteUrl('/')).host === host;

/**
 * A coverage as oEmbed 1.0 has it: a frame, or where nobody may show one, what a link to it can say.
 */
export function describe(coverage: ReaderCoverage, site: Site, { width, height }: Question): object {
  const { slug, headline } = coverage;
  const about = {
    version: '1.0',
    title: headline,
    provider_name: site.name,
    provider_url: siteUrl('/'),
    cache_age: CACHE_AGE_S,
    ...thumbnail(coverage, site, width, height),
  };
  if (site.frames.length === 0) return { type: 'link', ...about };
  const size = {
    width: Math.min(width ?? FRAME_WIDTH, FRAME_WIDTH),
    height: Math.min(height ?? FRAME_HEIGHT, FRAME_HEIGHT),
  };
  return { type: 'rich', ...about, ...size, html: snippetOf({ slug, headline, ...size }) };
}

/** The drawn picture of the coverage; larger than was asked for it must not be. */
function thumbnail(
  coverage: ReaderCoverage,
  site: Site,
  width: number = CARD_SIZE.width,
  height: number = CARD_SIZE.height,
): object {
  if (width < CARD_SIZE.width || height < CARD_SIZE.height) return {};
  return {
    thumbnail_url: siteUrl(drawnCard(cardPath(coverage.slug), coverageCard(coverage, site)).path),
    thumbnail_width: CARD_SIZE.width,
    thumbnail_height: CARD_SIZE.height,
  };
}
