import { expect, test } from 'vitest';
import { rejected, sentenceAbove, wrongFields } from '../../../src/lib/data/forms.ts';
import { refusal } from '../../../src/lib/i18n/refusals.ts';

test('a refusal stands at its field, under the name that the form has for it', () => {
  const reason = refusal('invalid', { field: 'password', sentence: 'No.' });
  expect(rejected(reason, { password: 'new_password' }).problems).toEqual({ new_password: 'No.' });
  expect(rejected(reason).problems).toEqual({ password: 'No.' });
  expect(rejected(refusal('forbidden')).problems).toEqual({});
});

test('fields are wrong only where something is said of them', () => {
  expect(wrongFields({ email: undefined })).toBeNull();
  expect(wrongFields({ email: 'No.', name: undefined })).toMatchObject({
    refusal: { code: 'invalid', status: 422 },
    problems: { email: 'No.' },
  });
});

test('what stands at a field is not said above the form too', () => {
  expect(sentenceAbove(undefined)).toBeUndefined();
  expect(sentenceAbove(wrongFields({ email: 'No.' }) ?? undefined)).toBeUndefined();
  expect(sentenceAbove(rejected(refusal('forbidden', { sentence: 'Not you.' })))).toBe('Not you.');
});
