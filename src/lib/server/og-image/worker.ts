import { fileURLToPath } from 'node:url';
import sharp, { type OverlayOptions } from 'sharp';
import { log } from '../../data/log.ts';
import type { OgImage } from '../../data/server-bridge.ts';
import { shorten } from '../../domain/body/blocks.ts';
import { SERVER } from '../../i18n/cli.ts';
import { OG_IMAGE_SIZE } from '../../publishing/og-image.ts';
import { runWorker } from '../worker-process.ts';

/** Text to lay out. */
type TextLine = {
  text: string;
  /** Font size in pixels. */
  size: number;
  weight: 'semibold' | 'bold';
  colour: string;
  /** Width at which lines wrap; without it there is one line. */
  width?: number;
  /** Letter spacing in pixels. */
  spacing?: number;
  /** `words` wraps between words only. The default also breaks long words. */
  breaks?: 'words';
};

type TextImage = { picture: Buffer; width: number; height: number };

/**
 * Bundled typeface, because servers have none. Uncompressed TrueType, because pango ignores WOFF. It covers Latin,
 * Greek, Cyrillic and Vietnamese; other scripts use the fonts of the system.
 */
const FACE = '@expo-google-fonts/source-serif-4';
const FILES = {
  semibold: fileURLToPath(import.meta.resolve(`${FACE}/600SemiBold/SourceSerif4_600SemiBold.ttf`)),
  bold: fileURLToPath(import.meta.resolve(`${FACE}/700Bold/SourceSerif4_700Bold.ttf`)),
};
const NAMES = { semibold: 'Source Serif 4 SemiBold', bold: 'Source Serif 4 Bold' };

/** At 72 dpi, a point is a pixel. */
const DPI = 72;

/** Renders text. Pango does the shaping and supports both directions. */
async function renderText(line: TextLine): Promise<TextImage> {
  const { text, weight, size, colour, width, spacing = 0, breaks } = line;
  const markup = `<span foreground="${colour}" letter_spacing="${spacing * 1024}">${escapeMarkup(text)}</span>`;
  const { data, info } = await sharp({
    text: {
      text: markup,
      font: `${NAMES[weight]} ${size}`,
      fontfile: FILES[weight],
      rgba: true,
      dpi: DPI,
      // Pango aligns right-to-left text to the right.
      ...(width && { width: Math.floor(width) }),
      wrap: breaks === 'words' ? 'word' : 'word-char',
    },
  })
    .png({ compressionLevel: 1 })
    .toBuffer({ resolveWithObject: true });
  return { picture: data, width: info.width, height: info.height };
}

/** Renders text on one line: smaller if it is too long, and cut if it still does not fit. */
async function renderLine(line: TextLine, width: number): Promise<TextImage> {
  let rendered = await renderText(line);
  for (const size of [line.size * 0.85, line.size * 0.75]) {
    if (rendered.width <= width) return rendered;
    rendered = await renderText({ ...line, size: Math.round(size) });
  }
  const size = Math.round(line.size * 0.75);
  for (let length = [...line.text].length; rendered.width > width && length > 1; ) {
    length = Math.min(length - 1, Math.floor((length * width) / rendered.width));
    rendered = await renderText({ ...line, size, text: shorten(line.text, Math.max(length, 1)) });
  }
  return rendered;
}

/** Escapes text for pango's markup. */
const escapeMarkup = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Characters that the typeface contains, so that most text needs no check. */
const INCLUDED =
  /^[\u0020-\u007e\u00a0-\u017f\u0386-\u03ce\u0400-\u045f\u1ea0-\u1ef9\u2013\u2014\u2018-\u201e\u2026\u20ac]$/u;
/** Characters without a glyph of their own. */
const INVISIBLE = /^(?:\p{Cf}|\p{Z}|\p{Cc}|\p{Variation_Selector}|\u2800)$/u;
/** Symbols that can be left out without making the text unreadable. */
const OPTIONAL_SYMBOL = /^[\p{So}\p{Sk}\p{Sm}\p{Co}\p{Cn}]$/u;

/**
 * Unassigned characters. Pango draws a box with the code point for a missing glyph, and its size depends on the
 * length of the code point.
 */
const UNASSIGNED = { short: '\u{378}', long: '\u{2fe00}' };

const glyphs = new Map<string, boolean>();

/**
 * Returns the part of a text that the available fonts can render: the whole text, the text without missing symbols,
 * or '' if letters are missing. Boxes would be worse than no text.
 */
export async function renderableText(text: string): Promise<string> {
  const missing = new Set<string>();
  for (const character of new Set(text)) {
    if (INCLUDED.test(character) || INVISIBLE.test(character) || (await hasGlyph(character))) continue;
    if (!OPTIONAL_SYMBOL.test(character)) return '';
    missing.add(character);
  }
  const remaining = [...text].filter((character) => !missing.has(character));
  // Pango fails on text that consists of joiners and variation selectors only, as in ⚽️ or 👩‍🚒.
  if (remaining.every((character) => INVISIBLE.test(character))) return '';
  return missing.size === 0 ? text : remaining.join('').replace(/\s+/g, ' ').trim();
}

async function hasGlyph(character: string): Promise<boolean> {
  const known = glyphs.get(character);
  if (known !== undefined) return known;
  const placeholder = (character.codePointAt(0) ?? 0) > 0xffff ? UNASSIGNED.long : UNASSIGNED.short;
  const has = !hasSameEdge(await glyphImage(character), await glyphImage(placeholder));
  glyphs.set(character, has);
  return has;
}

type GlyphImage = { width: number; height: number; edge: string };

const glyphImages = new Map<string, Promise<GlyphImage>>();

/** Renders a character and returns its size and the pixels of its edge. */
function glyphImage(character: string): Promise<GlyphImage> {
  const isBox = Object.values(UNASSIGNED).includes(character);
  const cached = glyphImages.get(character);
  if (cached) return cached;
  const image = renderGlyph(character);
  if (isBox) glyphImages.set(character, image);
  return image;
}

async function renderGlyph(character: string): Promise<GlyphImage> {
  const { picture } = await renderText({ text: character, size: 48, weight: 'bold', colour: '#000000' });
  const { data, info } = await sharp(picture)
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const edge: number[] = [];
  for (let x = 0; x < width; x++) edge.push(data[x] ?? 0, data[(height - 1) * width + x] ?? 0);
  for (let y = 0; y < height; y++) edge.push(data[y * width] ?? 0, data[y * width + width - 1] ?? 0);
  return { width, height, edge: edge.join() };
}

const hasSameEdge = (one: GlyphImage, other: GlyphImage) =>
  one.width === other.width && one.height === other.height && one.edge === other.edge;

sharp.cache(false);
sharp.concurrency(1);

/* Colours of the light scheme, because other sites show the image on their own background. */
const BACKGROUND = '#fdfbf6';
const INK = '#16130f';
const SECONDARY = '#5c554b';

const MARGIN = 72;
const WIDTH = OG_IMAGE_SIZE.width - 2 * MARGIN;
/** Positions of the horizontal rules, from the top. */
const TOP_RULE = { top: 56, height: 10 };
const HAIRLINE = { top: 148, height: 2 };
const FOOT_RULE = { top: 562, height: 4 };
/** Font size and position of the texts between the upper rules. */
const HEAD_SIZE = 34;
const HEAD_TOP = 95;
const KICKER = { size: 30, top: 178, height: 60 };
/** Size of the photo at the top of an image with one, and positions of the texts below it. */
const PHOTO = { width: OG_IMAGE_SIZE.width, height: 330 };
const UNDER_PHOTO = { headTop: 366, headlineTop: 430, bottom: 600 };
/** Twice the largest rendition that is usual. */
const MAX_PHOTO_PIXELS = 16_000_000;
/** Size of the square beside *Live*. */
const LIVE_SQUARE = 24;

/** Font sizes of the headline, largest first. The last one fits 120 characters of any script. */
const SIZES = [92, 80, 70, 61, 53, 46, 40];
/** Font sizes if words have to be broken. */
const BROKEN_SIZES = [53, 46, 40];
/** Lengths to which a headline is cut if the smallest size does not fit. */
const CUT_LENGTHS = [110, 90, 70, 50, 30];

/**
 * Renders an Open Graph image: a JPEG if its content names a photo, else a PNG with a small palette. Leaves out text
 * that the fonts cannot render.
 * @param photo file of the photo; without it, or if it cannot be decoded, the image is text only
 */
export async function renderOgImage(content: OgImage, photo: Uint8Array | null = null): Promise<Buffer> {
  const [name = '', kicker = '', headline = '', state = ''] = await Promise.all(
    [content.name, content.kicker, content.headline, content.state].map(renderableText),
  );
  // Shows the newsroom's name if the headline cannot be rendered.
  const card = headline
    ? { ...content, name, kicker, headline, state }
    : { ...content, name: '', kicker: '', headline: name, state };
  const cropped = photo && (await cropPhoto(photo));
  const parts = cropped ? await renderUnderPhoto(card, cropped) : await renderTextOnly(card);
  const image = sharp({ create: { ...OG_IMAGE_SIZE, channels: 3, background: BACKGROUND } }).composite(parts);
  return content.photo === undefined
    ? image.png({ palette: true, colours: 32, dither: 0, compressionLevel: 9, effort: 4 }).toBuffer()
    : image.jpeg({ quality: 80, chromaSubsampling: '4:4:4', mozjpeg: true }).toBuffer();
}

async function renderTextOnly(card: OgImage): Promise<OverlayOptions[]> {
  const parts = [
    rule(INK, MARGIN, TOP_RULE.top, WIDTH, TOP_RULE.height),
    rule(INK, MARGIN, HAIRLINE.top, WIDTH, HAIRLINE.height),
    rule(INK, MARGIN, FOOT_RULE.top, WIDTH, FOOT_RULE.height),
    ...(await renderHead(card, HEAD_TOP)),
  ];
  let top = HAIRLINE.top + 36;
  if (card.kicker) {
    const line: TextLine = {
      text: card.kicker,
      size: KICKER.size,
      weight: 'bold',
      colour: SECONDARY,
      spacing: card.direction === 'rtl' ? 0 : 2,
    };
    parts.push(atLineStart(await renderLine(line, WIDTH), card, KICKER.top));
    top = KICKER.top + KICKER.height;
  }
  if (card.headline) {
    const available = FOOT_RULE.top - 40 - top;
    const rendered = await renderHeadline(card.headline, available);
    // Slightly above the middle.
    parts.push(atLineStart(rendered, card, top + Math.max(0, Math.round((available - rendered.height) / 3))));
  }
  return parts;
}

/** Renders the photo over the whole width, and name, state and headline below it. There is no room for the kicker. */
async function renderUnderPhoto(card: OgImage, photo: Buffer): Promise<OverlayOptions[]> {
  const { headTop, headlineTop, bottom } = UNDER_PHOTO;
  const parts: OverlayOptions[] = [
    { input: photo, left: 0, top: 0 },
    rule(INK, 0, PHOTO.height, PHOTO.width, TOP_RULE.height),
    ...(await renderHead(card, headTop)),
  ];
  if (card.headline)
    parts.push(atLineStart(await renderHeadline(card.headline, bottom - headlineTop), card, headlineTop));
  return parts;
}

/** Crops a photo to its most distinct part. @returns null if it cannot be decoded */
async function cropPhoto(photo: Uint8Array): Promise<Buffer | null> {
  try {
    return await sharp(photo, { limitInputPixels: MAX_PHOTO_PIXELS })
      .resize({ ...PHOTO, fit: 'cover', position: 'attention' })
      .flatten({ background: BACKGROUND })
      .png({ compressionLevel: 1 })
      .toBuffer();
  } catch (error) {
    log.error(SERVER.notDrawn, { error });
    return null;
  }
}

/** Renders the newsroom's name at the start of the line and the state at its end. */
async function renderHead(
  { name, state, isLive, accent, direction }: OgImage,
  top: number,
): Promise<OverlayOptions[]> {
  const parts: OverlayOptions[] = [];
  const isRight = direction === 'rtl';
  const line = { size: HEAD_SIZE, colour: INK } as const;
  let usedWidth = 0;
  if (state) {
    const colour = isLive ? accent : INK;
    const rendered = await renderLine(
      { ...line, text: state, weight: 'semibold', colour },
      name ? WIDTH * 0.6 : WIDTH,
    );
    // Without a name, the state takes its place.
    const isLast = name !== '' || isLive;
    const left = isLast === isRight ? MARGIN : MARGIN + WIDTH - rendered.width;
    parts.push(at(rendered, left, top));
    usedWidth = rendered.width + 40;
    if (isLive) {
      usedWidth += LIVE_SQUARE + 16;
      parts.push(
        rule(
          accent,
          isRight ? left + rendered.width + 16 : left - 16 - LIVE_SQUARE,
          top + 1,
          LIVE_SQUARE,
          LIVE_SQUARE,
        ),
      );
    }
  }
  if (name)
    parts.push(
      atLineStart(
        await renderLine({ ...line, text: name, weight: 'bold' }, WIDTH - usedWidth),
        { direction },
        top,
      ),
    );
  return parts;
}

/** Renders the headline in the largest size that fits, or cuts it. */
async function renderHeadline(text: string, available: number): Promise<TextImage> {
  const line = { text, weight: 'bold', colour: INK, width: WIDTH } as const;
  const fits = ({ width, height }: TextImage) => width <= WIDTH && height <= available;
  for (const size of SIZES) {
    const rendered = await renderText({ ...line, size, breaks: 'words' });
    if (fits(rendered)) return rendered;
  }
  for (const size of BROKEN_SIZES) {
    const rendered = await renderText({ ...line, size });
    if (fits(rendered)) return rendered;
  }
  const size = SIZES.at(-1) as number;
  for (const length of CUT_LENGTHS) {
    const rendered = await renderText({ ...line, size, text: shorten(text, length) });
    if (fits(rendered)) return rendered;
  }
  return renderText({ ...line, size, text: '…' });
}

/** Places text at the start of the line. */
const atLineStart = (
  rendered: TextImage,
  { direction }: Pick<OgImage, 'direction'>,
  top: number,
): OverlayOptions => at(rendered, direction === 'rtl' ? MARGIN + WIDTH - rendered.width : MARGIN, top);

const at = ({ picture }: TextImage, left: number, top: number): OverlayOptions => ({
  input: picture,
  left,
  top,
});

const rule = (
  background: string,
  left: number,
  top: number,
  width: number,
  height: number,
): OverlayOptions => ({
  input: { create: { width, height, channels: 3, background } },
  left,
  top,
});

/** Content of an image, and the file of its photo. */
export type DrawRequest = { image: OgImage; photo: Uint8Array | null };

/** Above this size the process restarts. A hundred images took 200 MB. */
const MAX_MEMORY_BYTES = 600 * 1024 * 1024;

/** A font, a C library and untrusted text are combined only in this process. */
function respond({ image, photo }: DrawRequest): Promise<Buffer | null> {
  return renderOgImage(image, photo).catch((error: unknown) => {
    log.error(SERVER.notDrawn, { error });
    return null;
  });
}

if (import.meta.main) runWorker(respond, MAX_MEMORY_BYTES);
