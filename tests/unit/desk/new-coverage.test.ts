import { expect, test } from 'vitest';
import { readNewCoverage } from '../../../src/lib/data/coverage-settings.ts';

test('reads the form as text, and only valid ids', () => {
  const form = new FormData();
  form.set('headline', ' Storm ');
  form.set('standfirst', 'One\r\ntwo');
  form.set('idempotency_key', '00000000-0000-4000-8000-000000000001');
  form.set('id', 'drop table');
  form.set('slug', new File(['x'], 'x.txt'));
  const read = readNewCoverage(form);
  expect(read).toMatchObject({ headline: 'Storm', standfirst: 'One\ntwo', slug: '' });
  expect(read.idempotency_key).toBe('00000000-0000-4000-8000-000000000001');
  expect(read.id).toMatch(/^[0-9a-f-]{36}$/);
});
