import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { shorten } from '../body/text.ts';

/** One piece of text as it is to be written. */
export type Line = {
  text: string;
  /** In pixels. */
  size: number;
  weight: 'semibold' | 'bold';
  colour: string;
  /** That lines are broken at; without it there is one line. */
  width?: number;
  /** Between letters, in pixels. */
  spacing?: number;
  /** Where it may go on in the next line: between words alone, or within what is too long for one. */
  breaks?: 'words';
};

export type Written = { picture: Buffer; width: number; height: number };

/**
 * Servers have no typefaces: this one is brought along, whole. It is bare TrueType, because pango passes over whatever is
 * wrapped (WOFF), and has Latin, Greek, Cyrillic and Vietnamese; all else is left to what the machine has.
 */
const FACE = '@expo-google-fonts/source-serif-4';
const FILES = {
  semibold: fileURLToPath(import.meta.resolve(`${FACE}/600SemiBold/SourceSerif4_600SemiBold.ttf`)),
  bold: fileURLToPath(import.meta.resolve(`${FACE}/700Bold/SourceSerif4_700Bold.ttf`)),
};
const NAMES = { semibold: 'Source Serif 4 SemiBold', bold: 'Source Serif 4 Bold' };

/** At so many dots an inch a point is a pixel. */
const DPI = 72;

/** Writes text: shaped, and in both directions, by pango. */
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
      // What is written from right to left stands on the right by itself.
      ...(width && { width: Math.floor(width) }),
      wrap: breaks === 'words' ? 'word' : 'word-char',
    },
  })
    .png({ compressionLevel: 1 })
    .toBuffer({ resolveWithObject: true });
  return { picture: data, width: info.width, height: info.height };
}

/** As `write` on one line: smaller where it is too long for it, and cut where it still is. */
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

/** Pango reads markup. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
