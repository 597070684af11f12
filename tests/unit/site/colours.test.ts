import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  accentStyle,
  BACKGROUND,
  contrast,
  DEFAULT_ACCENT,
  isColourStyle,
  isReadableAccent,
  nearestReadable,
  SCHEMES,
  sampleStyle,
  TEXT_CONTRAST,
} from '../../../src/lib/domain/colours.ts';

const tokens = readFileSync('src/layouts/styles/tokens.css', 'utf8');
const anyColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`);

test('have the contrast of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#b3161b', '#b3161b')).toBe(1);
});

test('of the default accent equal the styles, and are readable', () => {
  const [light, dark] = tokens.split('@media');
  for (const [scheme, text] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    expect(text).toContain(`--paper: ${BACKGROUND[scheme]};`);
    expect(text).toContain(`--accent: ${DEFAULT_ACCENT[scheme]};`);
    expect(isReadableAccent(DEFAULT_ACCENT[scheme], scheme)).toBe(true);
  }
});

test('that are unreadable have a nearest readable one', () => {
  fc.assert(
    fc.property(anyColour, fc.constantFrom(...SCHEMES), (colour, scheme) => {
      const near = nearestReadable(colour, scheme);
      expect(contrast(near, BACKGROUND[scheme])).toBeGreaterThanOrEqual(TEXT_CONTRAST);
      if (isReadableAccent(colour, scheme)) expect(near).toBe(colour);
      else expect(contrast(near, BACKGROUND[scheme])).toBeLessThan(TEXT_CONTRAST + 0.35);
    }),
  );
});

test('are the only content of the accent style', () => {
  const chosen = { accent: '#0b5fa5', accent_dark: '' };
  expect(accentStyle({ accent: '', accent_dark: '' })).toBe('');
  expect(accentStyle(chosen)).toContain(DEFAULT_ACCENT.dark);
  for (const style of [accentStyle(chosen), sampleStyle(chosen)]) expect(isColourStyle(style)).toBe(true);
  for (const style of ['', 'p{}', `${accentStyle(chosen)}p{}`, '.sample-light{--accent:url(//x)}']) {
    expect(isColourStyle(style)).toBe(false);
  }
});
