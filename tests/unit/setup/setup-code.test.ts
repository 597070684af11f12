import { expect, test } from 'vitest';
import {
  codeHash,
  createSetupCode,
  formatSetupCode,
  readSetupCode,
} from '../../../src/lib/data/setup.server.ts';

test('a code has four groups of four unambiguous characters, and is never repeated', () => {
  const codes = Array.from({ length: 200 }, () => formatSetupCode(createSetupCode()));
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  expect(new Set(codes).size).toBe(codes.length);
  expect(new Set(codes.join('').replaceAll('-', '')).size).toBe(32);
});

test('a code can be typed in several ways', () => {
  const letters = readSetupCode('7KQM-4TZP-0W3B-1N8D');
  expect(letters).toBe('7KQM4TZP0W3B1N8D');
  for (const typed of [
    '7kqm 4tzp 0w3b 1n8d',
    ' 7KQM4TZP0W3B1N8D\n',
    '7KQM-4TZP-OW3B-LN8D',
    '7kqm-4tzp-ow3b-in8d',
  ]) {
    expect(readSetupCode(typed)).toBe(letters);
  }
});

test.each(['', '7KQM', '7KQM-4TZP-0W3B-1N8DD', '7KQM-4TZP-0W3B-1N8U', '7KQM-4TZP-0W3B-1N8\u0661'])(
  '%j is no code',
  (typed) => expect(readSetupCode(typed)).toBeNull(),
);

test('its hash ignores separators and case', () => {
  const code = createSetupCode();
  const typed = formatSetupCode(code).toLowerCase().replaceAll('-', ' ');
  expect(codeHash(readSetupCode(typed) ?? '')).toBe(codeHash(code));
  expect(codeHash('7KQM4TZP0W3B1N8D')).toMatch(/^[0-9a-f]{64}$/);
  expect(codeHash('7KQM4TZP0W3B1N8D')).not.toBe(codeHash('7KQM4TZP0W3B1N8E'));
});
