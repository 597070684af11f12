import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FONT_STACKS } from '../../../src/lib/domain/site-look.ts';

/** Reads a style sheet without the white space that does not matter. */
const styleSheet = (name: string) =>
  readFileSync(`src/layouts/styles/${name}`, 'utf8')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{},;]) ?/g, '$1')
    .replaceAll(': ', ':');

test.for(Object.entries(FONT_STACKS))('the preview has the stack of the font %s', ([font, stack]) => {
  const css = styleSheet('site-identity.css');
  expect(css).toContain(`.headline-${font} :is(.sample-headline,.nameplate){font-family:${stack};}`);
  // The style sheet of all pages has the default.
  const [sheet, rule] = font === 'serif' ? [styleSheet('tokens.css'), ''] : [css, `.text-${font}{`];
  expect(sheet).toContain(`${rule}--serif:${stack};`);
});
