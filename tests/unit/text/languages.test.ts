import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { errors as english } from '../../../src/lib/i18n/en/errors.ts';
import { errors, withId } from '../../../src/lib/i18n/errors.ts';
import { spanish } from '../../../src/lib/i18n/es/all.ts';
import { messagesIn } from '../../../src/lib/i18n/messages-in.ts';
import { setPageLanguage, withLanguage } from '../../../src/lib/i18n/request-language.server.ts';

test('two concurrent renderings use their own locales', async () => {
  const asked = Promise.withResolvers<void>();
  const one = withLanguage('en', async () => {
    setPageLanguage('es-MX');
    await asked.promise;
    return errors.gone;
  });
  const other = withLanguage('en', async () => {
    await asked.promise;
    return [errors.gone, withId('No.', 'x')];
  });
  asked.resolve();
  expect(await one).toBe(spanish.errors.gone);
  expect(await other).toEqual([english.gone, 'No. If it stays, quote x.']);
});

test('messages of a given language, or of the page for one without messages', () => {
  expect(messagesIn(errors, 'es').gone).toBe(spanish.errors.gone);
  expect(messagesIn(errors, 'de').gone).toBe(english.gone);
  withLanguage('es', () => {
    setPageLanguage('ar');
    expect(messagesIn(errors, 'de').gone).toBe(spanish.errors.gone);
    expect(messagesIn(errors, 'en').gone).toBe(english.gone);
  });
  expect(Object.values(errors)).toEqual(Object.values(english));
});

test('every message exists in Spanish', async () => {
  // Commands are in English. The type checker finds codes without a Spanish message.
  const others = new Set(['commands.ts', 'database-errors.ts']);
  const files = (await readdir('src/lib/i18n/en')).filter((name) => !others.has(name));
  const parts = await Promise.all(files.map((name) => import(`../../../src/lib/i18n/en/${name}`)));
  const names = parts.flatMap((part) => Object.keys(part));
  expect(Object.keys(spanish).toSorted()).toEqual(names.toSorted());
});
