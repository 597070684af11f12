import sharp from 'sharp';
import type { DrawnSiteImage } from '../../data/server-bridge.ts';
import { ICON_SIZES } from '../../domain/site-look.ts';
import { runWorker } from '../worker-process.ts';

// Allows only the decoders of supported formats, whatever format a file claims.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadSvg'] });
sharp.cache(false);
sharp.concurrency(1);

/** An uploaded PNG, or an SVG that was cleaned. */
export type SiteImageRequest = { content: Uint8Array; format: 'png' | 'svg' };

/** A logo is at most 32 pixels high on pages. Screens have up to four pixels for each. */
const LOGO_SIZES = [
  { width: 960, height: 144 },
  { width: 480, height: 72 },
];
const MAX_LOGO_BYTES = 32_768;
/** Largest icon in bytes. The database stores up to 65,538. */
const MAX_ICON_BYTES = 49_152;
const MAX_PIXELS = 16_000_000;
/** Background of icons: the paper of the site's pages. */
const PAPER = '#fdfbf6';
/** Share of an icon that a logo takes. An image that is nearly square fills its icon. */
const LOGO_SHARE = 0.84;

const INPUT = { failOn: 'error', limitInputPixels: MAX_PIXELS, pages: 1 } as const;
const PALETTE = { palette: true, effort: 8 } as const;
/** Numbers of colours that are tried for an icon, until it is small enough. */
const ICON_COLOURS = [256, 64, 16];

/** Re-encodes a PNG, without metadata, and makes the icons. Null if the content is no such image or too large. */
async function drawSiteImage({ content, format }: SiteImageRequest): Promise<DrawnSiteImage | null> {
  const { format: actualFormat, width, height } = await sharp(content, INPUT).metadata();
  if (actualFormat !== format || !width || !height) return null;
  const isSquare = Math.abs(width / height - 1) < 0.1;
  const icons = await Promise.all(
    ICON_SIZES.map((size) => drawIcon(content, size, isSquare ? 1 : LOGO_SHARE)),
  );
  if (format === 'svg') return { logo: null, icons };
  for (const size of LOGO_SIZES) {
    const { data, info } = await sharp(content, INPUT)
      .toColourspace('srgb')
      .resize({ ...size, fit: 'inside', withoutEnlargement: true })
      .png(PALETTE)
      .toBuffer({ resolveWithObject: true });
    if (data.length <= MAX_LOGO_BYTES)
      return { logo: { content: data, width: info.width, height: info.height }, icons };
  }
  return null;
}

async function drawIcon(content: Uint8Array, size: number, share: number): Promise<Uint8Array> {
  const inner = Math.round(size * share);
  const logo = await sharp(content, INPUT)
    .toColourspace('srgb')
    .resize({ width: inner, height: inner, fit: 'inside' })
    .png()
    .toBuffer();
  let icon: Uint8Array = new Uint8Array();
  for (const colours of ICON_COLOURS) {
    icon = await sharp({ create: { width: size, height: size, channels: 3, background: PAPER } })
      .composite([{ input: logo }])
      .png({ ...PALETTE, colours })
      .toBuffer();
    if (icon.length <= MAX_ICON_BYTES) break;
  }
  return icon;
}

/** Above this size the process restarts. */
const MAX_MEMORY_BYTES = 400 * 1024 * 1024;

/** A decoder and an untrusted file are combined only in this process. */
const respond = (request: SiteImageRequest) => drawSiteImage(request).catch(() => null);

if (import.meta.main) runWorker(respond, MAX_MEMORY_BYTES);
