import { describe, expect, it, test } from 'vitest';
import {
  formatOfFile,
  hasFormat,
  MAX_MEDIA_BYTES,
  MEDIA_FORMATS,
  mediaFileOf,
  mediaFilePaths,
  mediaSeconds,
} from '../../../src/lib/domain/media-files.ts';
import { formatMeasures, playingTime } from '../../../src/lib/i18n/measures.ts';
import { messagesFor } from '../../../src/lib/i18n/messages.server.ts';
import { HEADS } from '../../support/media.ts';

const ID = '0f1e2d3c-4b5a-4697-8877-665544332211';

describe('the path of a file', () => {
  it('tells its format, size and length', () => {
    expect(mediaFileOf(`/media/${ID}/12000000-94.mp4`)).toEqual({
      id: ID,
      format: 'mp4',
      kind: 'video',
      type: 'video/mp4',
      bytes: 12_000_000,
      seconds: 94,
    });
    expect(mediaFileOf(`/media/${ID}/900.m4a`)).toEqual({
      id: ID,
      format: 'm4a',
      kind: 'audio',
      type: 'audio/mp4',
      bytes: 900,
    });
  });

  it.each([
    `/media/${ID}/0.mp4`,
    `/media/${ID}/012.mp4`,
    `/media/${ID}/12-0.mp4`,
    `/media/${ID}/12-.mp4`,
    `/media/${ID}/12.mov`,
    `/media/${ID}/12.mp4?x=1`,
    `/media/${ID}/12.mp4/`,
    `/media/${ID.toUpperCase()}/12.mp4`,
    `https://news.example/media/${ID}/12.mp4`,
    `//evil.example/media/${ID}/12.mp4`,
    `/media/../${ID}/12.mp4`,
  ])('is not %s', (path) => {
    expect(mediaFileOf(path)).toBeUndefined();
  });

  it('is found once in a body', () => {
    const path = `/media/${ID}/900.m4a`;
    const block = { type: 'media' as const, url: path, title: 'T' };
    expect(mediaFilePaths([block, block, { ...block, url: 'https://vimeo.com/1' }])).toEqual([path]);
  });
});

describe('the first bytes', () => {
  test.each(MEDIA_FORMATS)('of %s are recognised', (format) => {
    expect(hasFormat(format, HEADS[format])).toBe(true);
  });

  it('of MP3 without tags are recognised, and those of AAC are not', () => {
    expect(hasFormat('mp3', Buffer.from([0xff, 0xfb, 0x90, 0x64]))).toBe(true);
    expect(hasFormat('mp3', Buffer.from([0xff, 0xf1, 0x50, 0x80]))).toBe(false);
  });

  it.each([
    ['mp4', Buffer.from('<html><script>alert(1)</script>')],
    ['mp4', Buffer.from('\x00\x00\x00\x14ftypqt  ', 'latin1')],
    ['mp4', Buffer.from('\x00\x00\x00\x1cftypheic', 'latin1')],
    ['mp4', HEADS.webm],
    ['mp4', Buffer.alloc(0)],
    ['webm', Buffer.from('\x1a\x45\xdf\xa3\x42\x82\x88matroska', 'latin1')],
    ['webm', HEADS.mp4],
    ['mp3', Buffer.from('PK\x03\x04')],
    ['m4a', HEADS.mp3],
  ] as const)('of another file are not those of %s', (format, head) => {
    expect(hasFormat(format, head)).toBe(false);
  });
});

test('a chosen file has its format by its type, or else by its name', () => {
  expect(formatOfFile({ name: 'a.bin', type: 'video/mp4' })).toBe('mp4');
  expect(formatOfFile({ name: 'a.m4a', type: 'audio/x-m4a' })).toBe('m4a');
  expect(formatOfFile({ name: 'A.MP3', type: '' })).toBe('mp3');
  expect(formatOfFile({ name: 'a.mp4', type: 'image/png' })).toBeUndefined();
  expect(formatOfFile({ name: 'a.mov', type: 'video/quicktime' })).toBeUndefined();
});

test.each(['en', 'es'] as const)('sizes have the unit in which the limit is named (%s)', (language) => {
  const file = mediaFileOf(`/media/${ID}/${MAX_MEDIA_BYTES}.mp4`);
  expect(file && formatMeasures(file, language)).toBe('100 MB');
  const { media } = messagesFor(language, language).composer;
  expect(media.fileHelp).toContain('100 MB');
  expect(media.tooLarge).toContain('100 MB');
  const half = mediaFileOf(`/media/${ID}/524288.mp3`);
  expect(half && formatMeasures(half, language)).toBe(language === 'es' ? '0,5 MB' : '0.5 MB');
});

test('lengths are whole seconds, and unknown for a recording in progress', () => {
  expect([0.2, 94.4, Number.POSITIVE_INFINITY, Number.NaN, 0].map(mediaSeconds)).toEqual([
    1,
    94,
    null,
    null,
    null,
  ]);
  expect([5, 94, 3_725].map(playingTime)).toEqual(['0:05', '1:34', '1:02:05']);
});
