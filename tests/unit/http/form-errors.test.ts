import { expect, test } from 'vitest';
import { formMessage, rejectForm, rejectProblems } from '../../../src/lib/data/forms.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { refusal } from '../../../src/lib/i18n/refusals.ts';

test("assigns an error to the form's name of its field", () => {
  const reason = refusal('invalid', { field: 'password', message: () => 'No.' });
  expect(rejectForm(reason, english, { password: 'new_password' }).problems).toEqual({ new_password: 'No.' });
  expect(rejectForm(reason, english).problems).toEqual({ password: 'No.' });
  expect(rejectForm(refusal('forbidden'), english).problems).toEqual({});
});

test('rejects only fields with a problem', () => {
  expect(rejectProblems({ email: undefined })).toBeNull();
  expect(rejectProblems({ email: 'No.', name: undefined })).toMatchObject({
    refusal: { code: 'invalid', status: 422 },
    problems: { email: 'No.' },
  });
});

test('shows no message above the form for problems of fields', () => {
  expect(formMessage(undefined, english)).toBeUndefined();
  expect(formMessage(rejectProblems({ email: 'No.' }) ?? undefined, english)).toBeUndefined();
  expect(formMessage(rejectForm(refusal('forbidden', { message: () => 'Not you.' }), english), english)).toBe(
    'Not you.',
  );
});
