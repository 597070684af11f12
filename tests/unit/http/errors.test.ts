import { describe, expect, test } from 'vitest';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { errors } from '../../../src/lib/i18n/en/errors.ts';
import { messagesFor } from '../../../src/lib/i18n/messages.server.ts';
import { refusal, refusalFrom, sentenceOf } from '../../../src/lib/i18n/refusals.ts';

describe('refusalFrom', () => {
  test('keeps code, details and the sentence of the reason', async () => {
    const invalid = {
      code: 'PT422',
      message: 'invalid',
      details: '{"field":"headline","reason":"invalid_line","max":120}',
    };
    const refused = await refusalFrom(invalid, 422);
    expect(refused).toMatchObject({
      code: 'invalid',
      status: 422,
      reason: 'invalid_line',
      field: 'headline',
    });
    expect(sentenceOf(refused, english)).toBe('Enter one line of at most 120 characters.');
    expect(sentenceOf(refused, messagesFor('es'))).toBe('Escriba una línea de como máximo 120 caracteres.');
    const unknown = { ...invalid, details: '{"reason":"of_a_newer_version"}' };
    expect(sentenceOf(await refusalFrom(unknown, 422), english)).toBe(errors.invalid);
    const conflict = { code: 'PT409', message: 'conflict', details: '{"version":7}' };
    expect(await refusalFrom(conflict, 409)).toEqual({ code: 'conflict', status: 409, version: 7 });
  });

  test.each([
    ['no answer at all', { code: '', message: 'TypeError: fetch failed' }, 0, 'unavailable'],
    ['a gateway without a backend', { message: 'Bad gateway' }, 502, 'unavailable'],
    ['a token that has ended', { code: 'PGRST303', message: 'JWT expired' }, 401, 'signed_out'],
    [
      'a function that visitors may not call',
      { code: '42501', message: 'permission denied' },
      401,
      'signed_out',
    ],
    ['a right that is missing', { code: '42501', message: 'permission denied' }, 403, 'forbidden'],
    ['too much at once', { code: 'too_large', message: 'The request is too large.' }, 413, 'too_large'],
    ['too many calls', { message: 'rate' }, 429, 'rate_limited'],
    ['a broken constraint', { code: '23514', message: 'violates check' }, 400, 'invalid'],
    ['anything else', { code: 'XX000', message: 'secret detail' }, 500, 'internal'],
    ['a word that is no code of ours', { code: 'PT409', message: 'toString' }, 409, 'internal'],
  ] as const)('%s', async (_what, error, status, code) => {
    const refused = await refusalFrom(error, status);
    expect([refused.code, sentenceOf(refused, english)]).toEqual([code, errors[code]]);
  });

  test('hides internals, but shows an id to quote', async () => {
    const fault = { code: 'internal', message: 'Something went wrong.', id: '1b2c' };
    expect(sentenceOf(await refusalFrom(fault, 500), english)).toContain('1b2c');
    expect(JSON.stringify(await refusalFrom({ code: 'XX000', message: 'secret detail' }, 500))).not.toContain(
      'secret',
    );
  });
});

test('has the status of its code', () => {
  expect(refusal('gone')).toEqual({ code: 'gone', status: 410 });
});
