import { expect, test } from 'vitest';
import { framesForm, parseFrames } from '../../../src/lib/data/coverage-settings.ts';
import { LIMITS } from '../../../src/lib/domain/limits.ts';

const typed = (frame_sites: string) => parseFrames({ frames: 'sites', frame_sites });

test('reduces input to origins', () => {
  expect(
    typed('example.org, https://*.Example.net\n http://localhost:4000/page https://example.org/news?x'),
  ).toEqual(['https://example.org', 'https://*.example.net', 'http://localhost:4000']);
  expect(typed('münchen.de:8443')).toEqual(['https://xn--mnchen-3ya.de:8443']);
  expect(parseFrames({ frames: 'anybody', frame_sites: 'example.org' })).toEqual(['*']);
  expect(parseFrames({ frames: 'nobody', frame_sites: 'example.org' })).toEqual([]);
  expect(parseFrames({})).toEqual([]);
});

test.for([
  '',
  '*',
  '*.org',
  'a.*.org',
  'http://example.org',
  'ftp://example.org',
  'data:text/html,x',
  "'self'",
  'https://',
])('refuses %s and names the field', (line) => {
  expect(() => typed(line)).toThrow(
    expect.objectContaining({ refusal: expect.objectContaining({ field: 'frame_sites' }) }),
  );
});

test('limits the number, and shows what is stored', () => {
  const lines = Array.from({ length: LIMITS.embed_origins + 1 }, (_, n) => `${n}a.example`);
  expect(() => typed(lines.join('\n'))).toThrow();
  const origins = typed(lines.slice(1).join('\n'));
  expect(typed(framesForm(origins).frame_sites)).toEqual(origins);
  expect(framesForm(['*']).frames).toBe('anybody');
  expect(framesForm([]).frames).toBe('nobody');
});
