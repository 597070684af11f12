import { expect, test } from 'vitest';
import { coverageForm, suggestedSlug } from '../../../src/lib/desk/new-coverage.ts';

test.each([
  ['The river rises at Harrow Bridge', 'the-river-rises-at-harrow-bridge'],
  ['  Crème brûlée – 50 % off! ', 'creme-brulee-50-off'],
  ['東京', ''],
  [
    `${'long '.repeat(20)}end`,
    'long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-long',
  ],
  ['x'.repeat(100), 'x'.repeat(80)],
])('%j makes a slug', (headline, slug) => {
  expect(suggestedSlug(headline)).toBe(slug);
});

test('what was sent is read as text, with its ids when they are some', () => {
  const form = new FormData();
  form.set('headline', ' Storm ');
  form.set('standfirst', 'One\r\ntwo');
  form.set('op', '00000000-0000-4000-8000-000000000001');
  form.set('id', 'drop table');
  form.set('slug', new File(['x'], 'x.txt'));
  const read = coverageForm(form);
  expect(read).toMatchObject({ headline: 'Storm', standfirst: 'One\ntwo', slug: '' });
  expect(read.op).toBe('00000000-0000-4000-8000-000000000001');
  expect(read.id).toMatch(/^[0-9a-f-]{36}$/);
});
