import { fileURLToPath } from 'node:url';
import sharp, { type OverlayOptions } from 'sharp';
import { shorten } from '../../domain/body/blocks.ts';
import { CARD_SIZE, type Card } from './card.ts';

/** Text to lay out. */
export type Line = {
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

export type Written = { picture: Buffer; width: number; height: number };

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
export async function write(line: Line): Promise<Written> {
  const { text, weight, size, colour, width, spacing = 0, breaks } = line;
  const marked = `<span foreground="${colour}" letter_spacing="${spacing * 1024}">${escaped(text)}</span>`;
  const { data, info } = await sharp({
    text: {
      text: marked,
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
export async function writeLine(line: Line, width: number): Promise<Written> {
  let written = await write(line);
  for (const size of [line.size * 0.85, line.size * 0.75]) {
    if (written.width <= width) return written;
    written = await write({ ...line, size: Math.round(size) });
  }
  const size = Math.round(line.size * 0.75);
  for (let most = [...line.text].length; written.width > width && most > 1; ) {
    most = Math.min(most - 1, Math.floor((most * width) / written.width));
    written = await write({ ...line, size, text: shorten(line.text, Math.max(most, 1)) });
  }
  return written;
}

/** Escapes text for pango's markup. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Characters that the typeface contains, so that most text needs no check. */
const KNOWN =
  /^[\u0020-\u007e\u00a0-\u017f\u0386-\u03ce\u0400-\u045f\u1ea0-\u1ef9\u2013\u2014\u2018-\u201e\u2026\u20ac]$/u;
/** Characters without a glyph of their own. */
const UNSEEN = /^(?:\p{Cf}|\p{Z}|\p{Cc}|\p{Variation_Selector}|\u2800)$/u;
/** Symbols that can be left out without making the text unreadable. */
const SPARE = /^[\p{So}\p{Sk}\p{Sm}\p{Co}\p{Cn}]$/u;

/**
 * Unassigned characters. Pango draws a box with the code point for a missing glyph, and its size depends on the
 * length of the code point.
 */
const NOBODYS = { short: '\u{378}', long: '\u{2fe00}' };

const seen = new Map<string, boolean>();

/**
 * Returns the part of a text that the available fonts can render: the whole text, the text without missing symbols,
 * or '' if letters are missing. Boxes would be worse than no text.
 */
export async function writable(text: string): Promise<string> {
  const missing = new Set<string>();
  for (const character of new Set(text)) {
    if (KNOWN.test(character) || UNSEEN.test(character) || (await hasGlyph(character))) continue;
    if (!SPARE.test(character)) return '';
    missing.add(character);
  }
  const left = [...text].filter((character) => !missing.has(character));
  // Pango fails on text that consists of joiners and variation selectors only, as in ⚽️ or 👩‍🚒.
  if (left.every((character) => UNSEEN.test(character))) return '';
  return missing.size === 0 ? text : left.join('').replace(/\s+/g, ' ').trim();
}

async function hasGlyph(character: string): Promise<boolean> {
  const known = seen.get(character);
  if (known !== undefined) return known;
  const box = (character.codePointAt(0) ?? 0) > 0xffff ? NOBODYS.long : NOBODYS.short;
  const has = !isSameFrame(await look(character), await look(box));
  seen.set(character, has);
  return has;
}

type Look = { width: number; height: number; frame: string };

const looks = new Map<string, Promise<Look>>();

/** Renders a character and returns its size and the pixels of its edge. */
function look(character: string): Promise<Look> {
  const isBox = Object.values(NOBODYS).includes(character);
  const kept = looks.get(character);
  if (kept) return kept;
  const looked = drawGlyph(character);
  if (isBox) looks.set(character, looked);
  return looked;
}

async function drawGlyph(character: string): Promise<Look> {
  const { picture } = await write({ text: character, size: 48, weight: 'bold', colour: '#000000' });
  const { data, info } = await sharp(picture)
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const rim: number[] = [];
  for (let x = 0; x < width; x++) rim.push(data[x] ?? 0, data[(height - 1) * width + x] ?? 0);
  for (let y = 0; y < height; y++) rim.push(data[y * width] ?? 0, data[y * width + width - 1] ?? 0);
  return { width, height, frame: rim.join() };
}

const isSameFrame = (one: Look, other: Look) =>
  one.width === other.width && one.height === other.height && one.frame === other.frame;

sharp.cache(false);
sharp.concurrency(1);

/* Colours of the light scheme, because other sites show the image on their own background. */
const PAPER = '#fdfbf6';
const INK = '#16130f';
const FAINT = '#5c554b';

const MARGIN = 72;
const WIDTH = CARD_SIZE.width - 2 * MARGIN;
/** Positions of the horizontal rules, from the top. */
const HEAD_RULE = { top: 56, height: 10 };
const HAIRLINE = { top: 148, height: 2 };
const FOOT_RULE = { top: 562, height: 4 };
/** Font size and position of the texts between the upper rules. */
const HEAD_SIZE = 34;
const HEAD_TOP = 95;
const KICKER = { size: 30, top: 178, height: 60 };
/** Size of the square beside *Live*. */
const MARK = 24;

/** Font sizes of the headline, largest first. The last one fits 120 characters of any script. */
const SIZES = [92, 80, 70, 61, 53, 46, 40];
/** Font sizes if words have to be broken. */
const BROKEN_SIZES = [53, 46, 40];
/** Lengths to which a headline is cut if the smallest size does not fit. */
const LAST_RESORT = [110, 90, 70, 50, 30];

/** Renders an Open Graph image as a PNG with a small palette. Leaves out text that the fonts cannot render. */
export async function draw(given: Card): Promise<Buffer> {
  const [name = '', kicker = '', headline = '', state = ''] = await Promise.all(
    [given.name, given.kicker, given.headline, given.state].map(writable),
  );
  // Shows the newsroom's name if the headline cannot be rendered.
  const card = headline
    ? { ...given, name, kicker, headline, state }
    : { ...given, name: '', kicker: '', headline: name, state };
  const parts = [
    rule(INK, MARGIN, HEAD_RULE.top, WIDTH, HEAD_RULE.height),
    rule(INK, MARGIN, HAIRLINE.top, WIDTH, HAIRLINE.height),
    rule(INK, MARGIN, FOOT_RULE.top, WIDTH, FOOT_RULE.height),
    ...(await drawHead(card)),
  ];
  let top = HAIRLINE.top + 36;
  if (card.kicker) {
    const line: Line = {
      text: card.kicker,
      size: KICKER.size,
      weight: 'bold',
      colour: FAINT,
      spacing: given.direction === 'rtl' ? 0 : 2,
    };
    parts.push(begun(await writeLine(line, WIDTH), card, KICKER.top));
    top = KICKER.top + KICKER.height;
  }
  if (card.headline) {
    const room = FOOT_RULE.top - 40 - top;
    const written = await asLargeAsFits(card.headline, room);
    // Slightly above the middle.
    parts.push(begun(written, card, top + Math.max(0, Math.round((room - written.height) / 3))));
  }
  return sharp({ create: { ...CARD_SIZE, channels: 3, background: PAPER } })
    .composite(parts)
    .png({ palette: true, colours: 32, dither: 0, compressionLevel: 9, effort: 4 })
    .toBuffer();
}

/** Renders the newsroom's name at the start of the line and the state at its end. */
async function drawHead({ name, state, isLive, accent, direction }: Card): Promise<OverlayOptions[]> {
  const parts: OverlayOptions[] = [];
  const isRight = direction === 'rtl';
  const line = { size: HEAD_SIZE, colour: INK } as const;
  let taken = 0;
  if (state) {
    const colour = isLive ? accent : INK;
    const written = await writeLine(
      { ...line, text: state, weight: 'semibold', colour },
      name ? WIDTH * 0.6 : WIDTH,
    );
    // Without a name, the state takes its place.
    const isLast = name !== '' || isLive;
    const left = isLast === isRight ? MARGIN : MARGIN + WIDTH - written.width;
    parts.push(at(written, left, HEAD_TOP));
    taken = written.width + 40;
    if (isLive) {
      taken += MARK + 16;
      parts.push(
        rule(accent, isRight ? left + written.width + 16 : left - 16 - MARK, HEAD_TOP + 1, MARK, MARK),
      );
    }
  }
  if (name)
    parts.push(
      begun(await writeLine({ ...line, text: name, weight: 'bold' }, WIDTH - taken), { direction }, HEAD_TOP),
    );
  return parts;
}

/** Renders the headline in the largest size that fits, or cuts it. */
async function asLargeAsFits(text: string, room: number): Promise<Written> {
  const line = { text, weight: 'bold', colour: INK, width: WIDTH } as const;
  const fits = ({ width, height }: Written) => width <= WIDTH && height <= room;
  for (const size of SIZES) {
    const written = await write({ ...line, size, breaks: 'words' });
    if (fits(written)) return written;
  }
  for (const size of BROKEN_SIZES) {
    const written = await write({ ...line, size });
    if (fits(written)) return written;
  }
  const size = SIZES.at(-1) as number;
  for (const most of LAST_RESORT) {
    const written = await write({ ...line, size, text: shorten(text, most) });
    if (fits(written)) return written;
  }
  return write({ ...line, size, text: '…' });
}

/** Places text at the start of the line. */
const begun = (written: Written, { direction }: Pick<Card, 'direction'>, top: number): OverlayOptions =>
  at(written, direction === 'rtl' ? MARGIN + WIDTH - written.width : MARGIN, top);

const at = ({ picture }: Written, left: number, top: number): OverlayOptions => ({
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
