import { expect, test } from 'vitest';
import { formMessage, rejectForm, rejectProblems } from '../../../src/lib/data/forms.ts';
import { refusal } from '../../../src/lib/i18n/refusals.ts';

test('a refusal stands at its field, under the name that the form has for it', () => {
  const reason = refusal('invalid', { field: 'password', sentence: 'No.' });
  expect(rejectForm(reason, { password: 'new_password' }).problems).toEqual({ new_password: 'No.' });
  expect(rejectForm(reason).problems).toEqual({ password: 'No.' });
  expect(rejectForm(refusal('forbidden')).problems).toEqual({});
});

test('fields are wrong only where something is said of them', () => {
  expect(rejectProblems({ email: undefined })).toBeNull();
  expect(rejectProblems({ email: 'No.', name: undefined })).toMatchObject({
    refusal: { code: 'invalid', status: 422 },
    problems: { email: 'No.' },
  });
});

test('what stands at a field is not said above the form too', () => {
  expect(formMessage(undefined)).toBeUndefined();
  expect(formMessage(rejectProblems({ email: 'No.' }) ?? undefined)).toBeUndefined();
  expect(formMessage(rejectForm(refusal('forbidden', { sentence: 'Not you.' })))).toBe('Not you.');
});
