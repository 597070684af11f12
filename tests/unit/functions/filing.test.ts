import { describe, expect, it } from 'vitest';
import { isSecret, sha256Hex } from '../../../supabase/functions/_shared/crypto.ts';
import {
  type IncomingMessage,
  messageIdOf,
  readCode,
  readRequest,
} from '../../../supabase/functions/receive-filing/message.ts';
import { sentencesFor } from '../../../supabase/functions/receive-filing/sentences.ts';
import { answerDelivery, readDelivery } from '../../../supabase/functions/receive-filing/telegram.ts';
import { telegramEdit, telegramMessage } from '../../support/telegram.ts';

const message = (text: string, more: Partial<IncomingMessage> = {}): IncomingMessage => ({
  channel: 'telegram',
  id: '1:2',
  reference: '2',
  sender: { id: '1', name: '@ana', language: 'en' },
  writtenAt: '2026-11-28T12:00:00.000000Z',
  text,
  hasBoldFirstLine: false,
  place: null,
  photo: null,
  album: null,
  repliesTo: null,
  hasOtherFile: false,
  ...more,
});
const paragraphs = (...lines: string[]) => lines.map((text) => ({ type: 'paragraph', runs: [{ text }] }));

const PHOTO = '5f0c3bd6-0000-5000-8000-000000000000';
const read = (text: string, more?: Partial<IncomingMessage>) => readRequest(message(text, more), PHOTO);

describe('readRequest', () => {
  it('reads a correction with number, coverage, new text and note', () => {
    expect(read('/correct 41 #harrow-flood WATER\nIt falls.\nNote: It fell at noon.')).toEqual({
      kind: 'correction',
      number: 41,
      content: { headline: 'WATER', body: paragraphs('It falls.'), key_event: false },
      options: { slug: 'harrow-flood', note: 'It fell at noon.' },
    });
    expect(read('/correct@desk_bot 7\nIt falls.')).toMatchObject({ number: 7, options: { note: null } });
  });

  it.each([
    '/correct',
    '/correct It falls.',
    '/correct 41',
    '/correct 41 ',
    '/correct 41\nNote: Only.',
    '/correct -1 a',
  ])('does not take %j for a correction', (text) => expect(read(text)).toEqual({ kind: 'correction_form' }));

  it.each([
    ['WATER RISES\nAt the quay.', 'WATER RISES', ['At the quay.']],
    ['*Water rises*\nAt the quay.', 'Water rises', ['At the quay.']],
    ['Water rises\nAt the quay.', null, ['Water rises', 'At the quay.']],
    ['WATER RISES', null, ['WATER RISES']],
    ['14:05\nAt the quay.', null, ['14:05', 'At the quay.']],
    [`${'A'.repeat(121)}\nAt the quay.`, null, ['A'.repeat(121), 'At the quay.']],
    ['One\u0007two\n\n \n\u2028Three', null, ['One two', 'Three']],
  ])('finds headline and paragraphs in %j', (text, headline, lines) => {
    expect(read(text)).toMatchObject({
      kind: 'update',
      content: { headline, body: paragraphs(...lines), key_event: false },
    });
  });

  it.each([
    ['#river-floods Water.', 'river-floods', ['Water.']],
    ['Water #river-floods rises.', 'river-floods', ['Water rises.']],
    ['House#river-floods', null, ['House#river-floods']],
    ['The #1 of all', null, ['The #1 of all']],
    ['#River', null, ['#River']],
  ])('finds the slug of a coverage in %j', (text, slug, lines) => {
    expect(read(text)).toMatchObject({
      content: { body: paragraphs(...lines) },
      options: { slug },
    });
  });

  it('reads commands, also with the name of the bot', () => {
    expect(read('/draft /key@desk_bot Water.')).toEqual({
      kind: 'update',
      content: { headline: null, body: paragraphs('Water.'), key_event: true },
      options: { slug: null, choice: null, is_draft: true, photo: null },
    });
    expect(read('/publish 41 Water.')).toEqual({
      kind: 'unknown_command',
      command: 'publish',
    });
    expect(read('/key')).toEqual({ kind: 'empty' });
    for (const text of ['?', '/start', '/help']) expect(read(text)).toEqual({ kind: 'help' });
  });

  it('shows the photo below the text, and a photo without text', () => {
    const photo = { file: 'AgACAgI', bytes: 1_000 };
    const block = { type: 'photo', photo: PHOTO };
    const options = { photo: { id: PHOTO, file: 'AgACAgI' } };
    expect(read('THE QUAY', { photo })).toMatchObject({
      content: { headline: 'THE QUAY', body: [block] },
      options,
    });
    expect(read('', { photo })).toMatchObject({ content: { headline: null, body: [block] }, options });
  });

  it('reads a single digit as a choice, too', () => {
    expect(read('2')).toMatchObject({
      options: { choice: 2 },
      content: { body: paragraphs('2') },
    });
    for (const text of ['0', '12', '2 dead']) expect(read(text)).toMatchObject({ options: { choice: null } });
  });
});

it('reads codes in every spelling, and takes no word for a code', () => {
  for (const text of ['BCDF-GH23', ' bcdfgh23 ', '/start BCDFGH23']) expect(readCode(text)).toBe('BCDFGH23');
  for (const text of ['EXPLODED', 'BCDFGH2', 'BCDFGH233', 'BCDF GH23', '/start', '20261128 x', '10000000'])
    expect(readCode(text)).toBeUndefined();
});

it('gives a message the same id always, which needs the key, and each bot its own', async () => {
  const ids = { account: '@desk_bot', key: 'sb_secret_a' };
  const id = await messageIdOf(message('a'), ids);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(await messageIdOf(message('b'), ids)).toBe(id);
  const others = [
    await messageIdOf(message('a', { id: '1:3' }), ids),
    await messageIdOf(message('a'), { ...ids, account: '@next_bot' }),
    await messageIdOf(message('a'), { ...ids, key: 'sb_secret_b' }),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
});

it('accepts the secret only, and no secret while there is no connection', async () => {
  const digest = await sha256Hex('secret');
  expect(await isSecret('secret', digest)).toBe(true);
  for (const wrong of ['', 'Secret', 'secret ']) expect(await isSecret(wrong, digest)).toBe(false);
  expect(await isSecret('', undefined)).toBe(false);
  expect(await isSecret('', '')).toBe(false);
});

describe('the adapter of Telegram', () => {
  it('gives a message and its edit one id, and the edit a later time', () => {
    const sent = telegramMessage(7, 'Water rises.');
    const [first, edit, next] = [sent, telegramEdit(sent, 'Water falls.'), telegramMessage(7, 'More.')].map(
      (delivery) => readDelivery(delivery),
    );
    expect(first).toMatchObject({
      id: `7:${sent.message.message_id}`,
      text: 'Water rises.',
      hasOtherFile: false,
    });
    expect(edit).toMatchObject({ id: first?.id, text: 'Water falls.' });
    expect((edit?.writtenAt ?? '') > (first?.writtenAt ?? '')).toBe(true);
    expect((next?.writtenAt ?? '') > (first?.writtenAt ?? '')).toBe(true);
    expect(next?.id).not.toBe(first?.id);
  });

  it('takes a location once, not the movements of a live location', () => {
    const location = { latitude: 53.34, longitude: -6.26, live_period: 900 };
    const sent = telegramMessage(7, '', { text: undefined, location });
    expect(readDelivery(sent)).toMatchObject({ place: { latitude: 53.34 } });
    expect(readDelivery(telegramEdit(sent, ''))).toBeNull();
  });

  it('finds a bold first line by UTF-16 units', () => {
    const read = (text: string, offset: number, length: number) =>
      readDelivery(telegramMessage(7, text, { entities: [{ type: 'bold', offset, length }] }))
        ?.hasBoldFirstLine;
    expect(read('🌊 Water\nText.', 0, 8)).toBe(true);
    expect(read('🌊 Water\nText.', 0, 7)).toBe(false);
    expect(read('🌊 Water\nText.', 3, 5)).toBe(false);
  });

  it.each([
    ['a group', { chat: { id: 1, type: 'group' } }],
    ['a bot', { from: { id: 1, is_bot: true } }],
    ['no sender', { from: undefined }],
    ['an id that is no number', { message_id: '1' }],
    ['a time that is none', { date: 1e20 }],
    ['a time that is no number', { date: 'now' }],
  ])('ignores deliveries of %s', (_what, more) => {
    expect(readDelivery(telegramMessage(7, 'Text.', more))).toBeNull();
  });

  it('makes a map of a location, with its coordinates as a name', () => {
    const location = { latitude: -53.3498123, longitude: 6.1 };
    expect(readDelivery(telegramMessage(7, '', { text: undefined, location }))).toMatchObject({
      place: { name: '-53.350, 6.100', latitude: -53.34981, longitude: 6.1 },
      hasOtherFile: false,
    });
  });

  it('takes the largest size of a photo, or an image that was sent as a file', () => {
    const read = (more: object) => readDelivery(telegramMessage(7, '', { text: undefined, ...more }));
    const photo = [
      { file_id: 'small', file_size: 1_000 },
      { file_id: 'large', file_size: 90_000 },
    ];
    expect(read({ photo })).toMatchObject({ photo: { file: 'large', bytes: 90_000 }, hasOtherFile: false });
    const document = { file_id: 'file', mime_type: 'image/png' };
    expect(read({ document })).toMatchObject({ photo: { file: 'file', bytes: null } });
    for (const more of [
      { document: { ...document, mime_type: 'image/svg+xml' } },
      { photo: [{ file_id: '../secret' }] },
      { voice: { file_id: 'voice' } },
    ])
      expect(read(more)).toMatchObject({ photo: null, hasOtherFile: true });
  });

  it('answers with the method that Telegram is to call', async () => {
    expect(await answerDelivery({ id: '7:41' }, 'With the desk.').json()).toMatchObject({
      method: 'sendMessage',
      chat_id: 7,
      text: 'With the desk.',
      reply_parameters: { message_id: 41 },
    });
  });
});

it('answers in Spanish or else in English', () => {
  expect(sentencesFor('es-MX').published(41)).toBe('Publicada, n.º 41.');
  for (const language of ['en', 'de', '']) expect(sentencesFor(language).published(41)).toBe('Live, no. 41.');
});
