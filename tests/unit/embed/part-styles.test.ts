import { expect, test } from 'vitest';
import { partStyles } from '../../../src/layouts/parts/CoveragePart.tsx';

const NO_COLOURS = { accent: '', accent_dark: '' };

test('uses the colours of the newsroom where the other site sets none', () => {
  expect(partStyles(NO_COLOURS)).toContain('var(--stoppress-accent,light-dark(#b3161b,#ff6b61))');
  expect(partStyles({ accent: '#00599c', accent_dark: '' })).toContain('light-dark(#00599c,#ff6b61)');
});

test('contains nothing but a colour from the settings', () => {
  const accent = 'red)}</style><script>alert(1)</script>';
  expect(partStyles({ accent, accent_dark: accent })).toBe(partStyles(NO_COLOURS));
});

test('has only rules for elements of the part', () => {
  // Media queries and other groups of rules would leave a brace.
  const rules = partStyles(NO_COLOURS).split('}');
  expect(rules.pop()).toBe('');
  for (const rule of rules) {
    const [selectors = '', , ...more] = rule.split('{');
    expect(more, rule).toEqual([]);
    for (const selector of selectors.split(',')) expect(selector).toMatch(/^\.stoppress(?:$| )/);
  }
});
