import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { spanish } from '../../../src/lib/i18n/es/all.ts';
import { messagesFor } from '../../../src/lib/i18n/messages.server.ts';
import { refusal, sentenceOf } from '../../../src/lib/i18n/refusals.ts';

test('chooses the messages of the first supported language', () => {
  expect(messagesFor('es-MX')).toBe(spanish);
  expect(messagesFor('ar', 'es')).toBe(spanish);
  expect(messagesFor(undefined, 'de')).toBe(english);
});

test('writes one refusal in the languages of two requests', () => {
  const refused = refusal('invalid', { reason: 'text_missing', message: undefined });
  expect(sentenceOf(refused, english)).toBe('Write something first.');
  expect(sentenceOf(refused, spanish)).not.toBe(sentenceOf(refused, english));
  const closed = refusal('forbidden', { message: ({ accounts }) => accounts.problems.closed });
  expect(sentenceOf(closed, spanish)).toBe(spanish.accounts.problems.closed);
});

test('has every message in Spanish', async () => {
  // The type checker finds reasons of errors without a Spanish message.
  const files = (await readdir('src/lib/i18n/en')).filter(
    (name) => !['all.ts', 'database-errors.ts'].includes(name),
  );
  const modules = await Promise.all(files.map((name) => import(`../../../src/lib/i18n/en/${name}`)));
  const names = modules.flatMap((module) => Object.keys(module));
  expect(Object.keys(spanish).toSorted()).toEqual([...names, 'language'].toSorted());
});
