import sharp, { type OverlayOptions } from 'sharp';
import { shorten } from '../body/text.ts';
import { CARD_SIZE, type Card } from './card.ts';
import { writable } from './glyphs.server.ts';
import { type Line, type Written, write, writeLine } from './lettering.server.ts';

sharp.cache(false);
sharp.concurrency(1);

/* The paper by day, whatever a reader's page looks like: the picture stands on other sites' ground. */
const PAPER = '#fdfbf6';
const INK = '#16130f';
const FAINT = '#5c554b';

const MARGIN = 72;
const WIDTH = CARD_SIZE.width - 2 * MARGIN;
/** Where the rules are, from above. */
const HEAD_RULE = { top: 56, height: 10 };
const HAIRLINE = { top: 148, height: 2 };
const FOOT_RULE = { top: 562, height: 4 };
/** The two words between the rules of the head: their size, and where their capitals begin. */
const HEAD_SIZE = 34;
const HEAD_TOP = 95;
const KICKER = { size: 30, top: 178, height: 60 };
/** The square that stands for *Live*. */
const MARK = 24;

/** Sizes of a headline, the largest first; the last one holds 120 characters of any script. */
const SIZES = [92, 80, 70, 61, 53, 46, 40];
/** Where a word must be broken it need not be as large. */
const BROKEN_SIZES = [53, 46, 40];
/** Characters that are left of a headline when even that is too large. */
const LAST_RESORT = [110, 90, 70, 50, 30];

/** Draws a card as a PNG of few colours. What there are no letters for is left out. */
export async function draw(given: Card): Promise<Buffer> {
  const [name = '', kicker = '', headline = '', state = ''] = await Promise.all(
    [given.name, given.kicker, given.headline, given.state].map(writable),
  );
  // A newsroom whose headline cannot be written is told by its name.
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
    // A little above the middle, as a poster has it.
    parts.push(begun(written, card, top + Math.max(0, Math.round((room - written.height) / 3))));
  }
  return sharp({ create: { ...CARD_SIZE, channels: 3, background: PAPER } })
    .composite(parts)
    .png({ palette: true, colours: 32, dither: 0, compressionLevel: 9, effort: 4 })
    .toBuffer();
}

/** The newsroom on the side that is read first, and how things stand on the other one. */
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
    // Alone it stands where the name would.
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

/** A headline as large as it fits; cut where nothing else helps. */
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

/** On the side where reading begins. */
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
