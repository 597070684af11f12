import { describe, expect, test } from 'vitest';
import { errors } from '../../../src/lib/i18n/errors.ts';
import { refusal, refusalFrom } from '../../../src/lib/i18n/refusals.ts';

describe('refusalFrom', () => {
  test('a refusal of ours says its code, its sentence and its details', () => {
    const invalid = {
      code: 'PT422',
      message: 'invalid',
      hint: 'Shorten it.',
      details: '{"field":"headline"}',
    };
    expect(refusalFrom(invalid, 422)).toEqual({
      code: 'invalid',
      status: 422,
      sentence: 'Shorten it.',
      field: 'headline',
    });
    const conflict = { code: 'PT409', message: 'conflict', hint: null, details: '{"version":7}' };
    expect(refusalFrom(conflict, 409)).toEqual({
      code: 'conflict',
      status: 409,
      sentence: errors.conflict,
      version: 7,
    });
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
  ] as const)('%s', (_what, error, status, code) => {
    expect(refusalFrom(error, status)).toMatchObject({ code, sentence: errors[code] });
  });

  test('nothing of the inside goes out, but an id to quote does', () => {
    const fault = { code: 'internal', message: 'Something went wrong.', id: '1b2c' };
    expect(refusalFrom(fault, 500).sentence).toContain('1b2c');
    expect(JSON.stringify(refusalFrom({ code: 'XX000', message: 'secret detail' }, 500))).not.toContain(
      'secret',
    );
  });
});

test('a refusal has the status of its code', () => {
  expect(refusal('gone')).toEqual({ code: 'gone', status: 410, sentence: errors.gone });
});
