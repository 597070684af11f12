import sharp from 'sharp';
import { write } from './lettering.server.ts';

/** Letters and signs that the typeface has, which needs no look: nearly all that is written in its scripts. */
const KNOWN =
  /^[\u0020-\u007e\u00a0-\u017f\u0386-\u03ce\u0400-\u045f\u1ea0-\u1ef9\u2013\u2014\u2018-\u201e\u2026\u20ac]$/u;
/** Nothing is drawn of these by themselves. */
const UNSEEN = /^(?:\p{Cf}|\p{Z}|\p{Cc}|\p{Variation_Selector}|\u2800)$/u;
/** Without these a line can still be read: a wave, an arrow. */
const SPARE = /^[\p{So}\p{Sk}\p{Sm}\p{Co}\p{Cn}]$/u;

/** Of a character that there is no glyph of pango draws a box with its number in it. Nobody has these two. */
const NOBODYS = { short: '\u{378}', long: '\u{2fe00}' };

const seen = new Map<string, boolean>();

/**
 * What of a text can be written with the letters that there are: all of it, all but signs, or '' where letters are
 * missing. Boxes are worse than nothing.
 */
export async function writable(text: string): Promise<string> {
  const missing = new Set<string>();
  for (const character of new Set(text)) {
    if (KNOWN.test(character) || UNSEEN.test(character) || (await hasGlyph(character))) continue;
    if (!SPARE.test(character)) return '';
    missing.add(character);
  }
  const left = [...text].filter((character) => !missing.has(character));
  // Nothing may be left but the joints of signs (⚽️, 👩‍🚒), of which pango draws nothing, and says so by failing.
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

/** A character as it is drawn: its size, and what is on its rim. */
function look(character: string): Promise<Look> {
  const isBox = Object.values(NOBODYS).includes(character);
  const kept = looks.get(character);
  if (kept) return kept;
  const looked = draw(character);
  if (isBox) looks.set(character, looked);
  return looked;
}

async function draw(character: string): Promise<Look> {
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
