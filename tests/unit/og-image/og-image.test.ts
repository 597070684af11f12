import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import { type OgImage, serverBridge } from '../../../src/lib/data/server-bridge.ts';
import { OG_IMAGE_SIZE } from '../../../src/lib/publishing/og-image.ts';
import { startOgImageRenderer } from '../../../src/lib/server/og-image/renderer.server.ts';
import { renderableText, renderOgImage } from '../../../src/lib/server/og-image/worker.ts';

const LARGEST = 60_000;

const image: OgImage = {
  name: 'The Harrow Courier',
  kicker: 'Floods',
  headline: 'The river rises',
  state: 'Live',
  isLive: true,
  accent: '#b3161b',
  direction: 'ltr',
};

/** Extent of the ink between the hairline and the lower rule, in pixels. */
async function inkBounds(png: Buffer): Promise<{ left: number; right: number; bottom: number }> {
  const area = { left: 0, top: 152, width: OG_IMAGE_SIZE.width, height: 408 };
  const { data, info } = await sharp(png)
    .extract(area)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const box = { left: info.width, right: 0, bottom: 0 };
  for (let index = 0; index < info.width * info.height; index++) {
    if ((data[index * info.channels] ?? 255) > 128) continue;
    const x = index % info.width;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.bottom = Math.floor(index / info.width);
  }
  return box;
}

const MARGIN = 72;

test.for([
  ['one letter', 'A'],
  [
    'the maximum length',
    'Schools closed and ferries in port as the storm comes in from the west '.repeat(2).slice(0, 120).trim(),
  ],
  ['the widest letters', 'W'.repeat(120)],
  ['a word longer than a line', `Donaudampf${'schifffahrts'.repeat(8)}gesellschaft`],
  ['another script', 'Η καταιγίδα Москва Łódź Việt Nam'],
  ['markup', '<span size="400000">Large</span> & <b>bold</b> &amp; </span>'],
] as const)('keeps a headline of %s inside the image', async ([, headline]) => {
  const png = await renderOgImage({ ...image, headline });
  expect(await sharp(png).metadata()).toMatchObject({ ...OG_IMAGE_SIZE, format: 'png', isPalette: true });
  expect(png.length).toBeLessThan(LARGEST);
  const { left, right, bottom } = await inkBounds(png);
  expect(left).toBeGreaterThanOrEqual(MARGIN - 2);
  expect(left).toBeLessThan(MARGIN + 20);
  expect(right).toBeLessThanOrEqual(OG_IMAGE_SIZE.width - MARGIN + 2);
  expect(bottom).toBeLessThan(408 - 16);
  expect(bottom).toBeGreaterThan(60);
});

test('aligns right-to-left text on the right', async () => {
  const { left, right } = await inkBounds(
    await renderOgImage({ ...image, kicker: '', headline: 'ABC', direction: 'rtl' }),
  );
  expect(right).toBeGreaterThan(OG_IMAGE_SIZE.width - MARGIN - 20);
  expect(left).toBeGreaterThan(OG_IMAGE_SIZE.width / 2);
});

test('leaves out characters without glyphs', async () => {
  // Tangut, and an unassigned code point.
  expect(await renderableText('Storm \u{17000}\u{17001}')).toBe('');
  expect(await renderableText('Storm \u{1cffe} comes')).toBe('Storm comes');
  expect(await renderableText('Łódź, “Việt Nam” – Ελλάδα, Москва €5')).toBe(
    'Łódź, “Việt Nam” – Ελλάδα, Москва €5',
  );
  const without = await renderOgImage({ ...image, headline: '\u{17000}'.repeat(9) });
  // The newsroom's name is shown instead.
  const named = await renderOgImage({ ...image, name: '', kicker: '', headline: image.name });
  expect(without.equals(named), 'both images are the same').toBe(true);
});

test('renders an image for a headline without visible glyphs', async () => {
  // Joiners and variation selectors disappear with their characters.
  const invisible = ['⚽️', '👩‍🚒', '🏳️‍🌈', '\u2800', '\u00a0\u200b', '\u{e0041}'];
  expect(await Promise.all(invisible.map(renderableText))).toEqual(invisible.map(() => ''));
  expect(await renderableText('⚽️ Kick-off 👩‍🚒')).toMatch(/Kick-off/);
  const plain = await renderOgImage({ ...image, name: '', kicker: '', state: '' });
  for (const sign of invisible) {
    expect(
      (await renderOgImage({ ...image, name: sign, kicker: sign, state: sign })).equals(plain),
      sign,
    ).toBe(true);
  }
});

const photoFile = (width: number, height: number, background = '#1f6f3a') =>
  sharp({ create: { width, height, channels: 3, background } })
    .webp()
    .toBuffer();

/** Average colour of a part of an image. */
async function colourAt(picture: Buffer | Uint8Array, top: number, height: number): Promise<number[]> {
  const area = { left: 0, top, width: OG_IMAGE_SIZE.width, height };
  const part = await sharp(picture).extract(area).png().toBuffer();
  return (await sharp(part).stats()).channels.map(({ mean }) => Math.round(mean));
}

const withPhoto = { ...image, photo: 'a photo' };

test.each([
  ['a landscape', 1600, 1067],
  ['a portrait', 1067, 1600],
  ['a narrow photo', 1600, 40],
  ['a small photo', 90, 60],
])('shows %s above the text', async (_, width, height) => {
  const headline = 'Schools closed and ferries in port as the storm comes in from the west '
    .repeat(2)
    .slice(0, 120);
  const picture = await renderOgImage({ ...withPhoto, headline }, await photoFile(width, height));
  expect(await sharp(picture).metadata()).toMatchObject({ ...OG_IMAGE_SIZE, format: 'jpeg' });
  expect(picture.length).toBeLessThan(LARGEST * 2);
  const [red = 0, green = 0, blue = 0] = await colourAt(picture, 0, 320);
  expect(Math.abs(red - 0x1f) + Math.abs(green - 0x6f) + Math.abs(blue - 0x3a)).toBeLessThan(8);
  // The text stays within the image, and its background is paper.
  for (const [top, rows] of [
    [344, 14],
    [612, 18],
  ] as const)
    expect(Math.min(...(await colourAt(picture, top, rows)))).toBeGreaterThan(240);
  expect(Math.min(...(await colourAt(picture, 430, 160)))).toBeLessThan(240);
});

test('shows text only if the photo is missing or broken', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const plain = await renderOgImage(withPhoto);
  expect(await sharp(plain).metadata()).toMatchObject({ ...OG_IMAGE_SIZE, format: 'jpeg' });
  const broken = await renderOgImage(withPhoto, Buffer.from('This is no photo.'));
  expect(broken.equals(plain)).toBe(true);
  expect(log).toHaveBeenCalledOnce();
  log.mockRestore();
});

test('reads a photo once, and draws again after it could not be read', async () => {
  const close = startOgImageRenderer();
  try {
    const file = await photoFile(1600, 1067);
    const readings: (Uint8Array | null)[] = [null, file];
    const readPhoto = async () => readings.shift() ?? null;
    const first = await serverBridge.renderOgImage?.(withPhoto, readPhoto);
    const second = await serverBridge.renderOgImage?.(withPhoto, readPhoto);
    expect((await colourAt(first ?? new Uint8Array(), 0, 50)).every((value) => value > 240)).toBe(true);
    expect((await colourAt(second ?? new Uint8Array(), 0, 50)).every((value) => value > 240)).toBe(false);
    expect(await serverBridge.renderOgImage?.(withPhoto, readPhoto)).toBe(second);
    expect(readings).toEqual([]);
  } finally {
    close();
  }
});

test('renders each image once in a separate process, which may crash', async () => {
  const close = startOgImageRenderer({ idle: 200 });
  try {
    const [first, again, other] = await Promise.all([
      serverBridge.renderOgImage?.(image),
      serverBridge.renderOgImage?.({ ...image }),
      serverBridge.renderOgImage?.({ ...image, headline: 'Another' }),
    ]);
    expect(first).toBeInstanceOf(Uint8Array);
    expect(again).toBe(first);
    expect(await serverBridge.renderOgImage?.(image)).toBe(first);
    expect(Buffer.from(other ?? []).equals(Buffer.from(first ?? []))).toBe(false);
    // A new process works after the idle one has ended.
    await expect
      .poll(async () => serverBridge.renderOgImage?.({ ...image, kicker: crypto.randomUUID() }), {
        interval: 400,
      })
      .not.toBeNull();
  } finally {
    close();
  }
  expect(serverBridge.renderOgImage).toBeUndefined();

  const folder = await mkdtemp(join(tmpdir(), 'stoppress-cards-'));
  try {
    const program = join(folder, 'broken.mjs');
    await writeFile(program, "process.on('message', () => process.exit(1));");
    const end = startOgImageRenderer({ program });
    expect(await serverBridge.renderOgImage?.(image)).toBeNull();
    end();
    await writeFile(program, "process.on('message', () => {});");
    const stop = startOgImageRenderer({ program, longest: 100 });
    expect(
      await Promise.all([
        serverBridge.renderOgImage?.(image),
        serverBridge.renderOgImage?.({ ...image, name: 'B' }),
      ]),
    ).toEqual([null, null]);
    stop();
  } finally {
    await rm(folder, { recursive: true });
  }
});
