import { createHash } from 'node:crypto';
import type { OgImage } from '../data/server-bridge.ts';
import type { Site } from '../data/site.ts';
import { DEFAULT_ACCENT } from '../domain/colours.ts';
import { livePath } from '../domain/coverages.ts';
import { PHOTO_WIDTHS, photoPath, type ReaderPhoto, renditionFor } from '../domain/photos.ts';
import { clockOf, hasEnded, type ReaderCoverage } from '../domain/reader-coverage.ts';
import { dayName, fullTime } from '../domain/time.ts';
import { directionOf } from '../i18n/language.ts';
import type { Messages } from '../i18n/messages.ts';

/** Size of an Open Graph image in pixels. */
export const OG_IMAGE_SIZE = { width: 1200, height: 630 } as const;

/** URL, media type and description of an Open Graph image. */
type OgImageLink = { path: string; type: string; digest: string; alt: string };

/** Increase it when the rendering changes. */
const RENDERER_VERSION = 1;

/** Images with a photo are JPEGs. */
export const ogImagePath = (slug: string, { photo }: Pick<OgImage, 'photo'> = {}): string =>
  `${livePath(slug)}/card.${photo === undefined ? 'png' : 'jpg'}`;
export const SITE_OG_IMAGE_PATH = '/card.png';

/**
 * Returns the image content of a coverage in the current language.
 * @param photo the photo that stands for the coverage
 */
export function coverageOgImage(
  messages: Messages,
  coverage: ReaderCoverage,
  site: Site,
  photo: Pick<ReaderPhoto, 'id'> | null = null,
): OgImage {
  const { kicker, headline, state, language, starts_at, ended_at } = coverage;
  const clock = clockOf(coverage);
  const when =
    state === 'scheduled' && starts_at
      ? fullTime(starts_at, clock)
      : hasEnded(state) && ended_at
        ? dayName(ended_at, clock)
        : '';
  return {
    name: site.name,
    kicker,
    headline,
    state: [messages.states[state], when].filter(Boolean).join(' · '),
    isLive: state === 'live',
    accent: site.accent || DEFAULT_ACCENT.light,
    direction: directionOf(language),
    ...(photo && { photo: photo.id }),
  };
}

/** Returns the image content of the newsroom: its name and tagline. */
export function siteOgImage(site: Site): OgImage {
  return {
    name: '',
    kicker: '',
    headline: site.name,
    state: site.tagline,
    isLive: false,
    accent: site.accent || DEFAULT_ACCENT.light,
    direction: directionOf(site.language),
  };
}

export function ogImageDigest(image: OgImage): string {
  return createHash('sha256')
    .update(JSON.stringify([RENDERER_VERSION, image]))
    .digest('base64url')
    .slice(0, 8);
}

/**
 * Returns the URL of an image. It contains a digest of the content, because other sites cache images for a long time.
 */
export function ogImageLink(path: string, image: OgImage): OgImageLink {
  const alt = [image.kicker, image.headline, image.name].filter(Boolean).join(' · ');
  const digest = ogImageDigest(image);
  return { path: `${path}?v=${digest}`, type: ogImageType(image), digest, alt };
}

export const ogImageType = ({ photo }: OgImage): string => (photo === undefined ? 'image/png' : 'image/jpeg');

/** Link to the image of a coverage. See `coverageOgImage`. */
export function coverageOgImageLink(...content: Parameters<typeof coverageOgImage>): OgImageLink {
  const image = coverageOgImage(...content);
  return ogImageLink(ogImagePath(content[1].slug, image), image);
}

/** Image for link previews on other sites, in pixels. */
export type ShareImage = { path: string; type: string; width: number; height: number; alt: string };

export const shareOgImage = ({ path, type, alt }: OgImageLink): ShareImage => ({
  path,
  type,
  ...OG_IMAGE_SIZE,
  alt,
});

export function sharePhoto({ id, renditions, width, height, alt }: ReaderPhoto): ShareImage {
  const rendition = renditionFor(renditions, PHOTO_WIDTHS[2]) ?? { width, height };
  return {
    path: photoPath(id, PHOTO_WIDTHS[2]),
    type: 'image/webp',
    width: rendition.width,
    height: rendition.height,
    alt,
  };
}

/** Returns the Open Graph locale of a language, with its most likely region; undefined for the default en_US. */
export function localeOf(tag: string): string | undefined {
  try {
    const { language, region } = new Intl.Locale(tag).maximize();
    const locale = `${language}_${region}`;
    return locale === 'en_US' ? undefined : locale;
  } catch {
    return undefined;
  }
}
