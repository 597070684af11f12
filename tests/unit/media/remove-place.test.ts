import { expect, test } from 'vitest';
import { withoutPlace } from '../../../src/islands/media/remove-place.ts';

const PLACE = '+52.0705+004.3007/';

const latin = (text: string) => Buffer.from(text, 'latin1');

/** A box of MP4: four bytes of size, four of type, and its content. */
function box(type: string | Buffer, ...content: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(content.map((part) => (typeof part === 'string' ? latin(part) : part)));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length + 8);
  return Buffer.concat([head, typeof type === 'string' ? latin(type) : type, body]);
}

/** The same with a size of eight bytes. */
function largeBox(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1);
  head.write(type, 4, 'latin1');
  head.writeBigUInt64BE(BigInt(content.length + 16), 8);
  return Buffer.concat([head, content]);
}

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const FILE_TYPE = box('ftyp', 'isom\0\0\x02\0isommp41');
const PICTURES = box('mdat', 'pictures and sound '.repeat(50));
const TITLE = box('\xa9nam', 'The quay');

const key = (name: string) => box('mdta', name);
const apple = (...version: string[]) =>
  box(
    'meta',
    ...version,
    box('hdlr', '\0\0\0\0\0\0\0\0mdta'),
    box(
      'keys',
      number(0),
      number(2),
      key('com.apple.quicktime.make'),
      key('com.apple.quicktime.location.ISO6709'),
    ),
    box('ilst', box(number(1), box('data', 'Phone')), box(number(2), box('data', PLACE))),
  );

const XMP = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');

const PLACES: [string, Buffer][] = [
  ['of Android', box('moov', box('mvhd', 'x'), box('udta', TITLE, box('\xa9xyz', PLACE)))],
  ['of a track', box('moov', box('trak', box('udta', box('loci', PLACE))))],
  ['of Apple', box('moov', apple())],
  ['in the metadata of MP4', box('moov', box('udta', apple('\0\0\0\0')))],
  ['in XMP', Buffer.concat([box('moov', box('mvhd', 'x')), box('uuid', XMP, `<GPS>${PLACE}`)])],
  ['in XMP of QuickTime', box('moov', box('udta', box('XMP_', PLACE)))],
  ['in a box with a long size', largeBox('moov', box('udta', box('\xa9xyz', PLACE)))],
];

const bytesOf = async (file: Blob) => Buffer.from(await file.arrayBuffer());

test.for(PLACES)(
  'a place %s is not uploaded, and all other bytes stay in their places',
  async ([, metadata]) => {
    for (const parts of [
      [FILE_TYPE, metadata, PICTURES],
      [FILE_TYPE, PICTURES, metadata],
    ]) {
      const before = Buffer.concat(parts);
      const after = await bytesOf(await withoutPlace(new Blob([before]), 'mp4'));
      expect(before.includes(PLACE)).toBe(true);
      expect(after.includes(PLACE)).toBe(false);
      expect(after.length).toBe(before.length);
      expect(after.indexOf(PICTURES)).toBe(before.indexOf(PICTURES));
      for (const kept of [FILE_TYPE, TITLE, latin('Phone')])
        expect(after.indexOf(kept)).toBe(before.indexOf(kept));
    }
  },
);

test.for([
  ['without a place', Buffer.concat([FILE_TYPE, box('moov', box('udta', TITLE)), PICTURES])],
  ['with data of another program', Buffer.concat([FILE_TYPE, box('uuid', Buffer.alloc(16, 7), PLACE)])],
  ['that is too short', FILE_TYPE.subarray(0, 5)],
  [
    'whose box has no room for its header',
    Buffer.concat([FILE_TYPE, number(7), latin('moov'), latin(PLACE)]),
  ],
  [
    'whose box is longer than the file',
    Buffer.concat([FILE_TYPE, number(9_999), latin('moov'), latin(PLACE)]),
  ],
  ['that is empty', Buffer.alloc(0)],
] as const)('a file %s is uploaded as it is', async ([, bytes]) => {
  const file = new Blob([new Uint8Array(bytes)]);
  expect(await withoutPlace(file, 'mp4')).toBe(file);
});

test('a file of another format is not read', async () => {
  const bytes = Buffer.concat([FILE_TYPE, box('moov', box('udta', box('\xa9xyz', PLACE)))]);
  const file = new Blob([new Uint8Array(bytes)]);
  for (const format of ['webm', 'mp3'] as const) expect(await withoutPlace(file, format)).toBe(file);
});

test('a file of very many tiny boxes is given up soon', async () => {
  const boxes: Buffer[] = Array(30_000).fill(box('free'));
  const file = new Blob([new Uint8Array(Buffer.concat([FILE_TYPE, ...boxes]))]);
  expect(await withoutPlace(file, 'm4a')).toBe(file);
});
