import { describe, expect, test } from 'vitest';
import { type CleanSvg, cleanSvg, SVG_LIMITS } from '../../../src/lib/publishing/clean-svg.ts';

const svg = (inside: string, attributes = 'viewBox="0 0 40 10"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`;
const SHAPE = '<path d="M0 0h40v10z"/>';

const cleaned = (source: string): CleanSvg => {
  const result = cleanSvg(source);
  if ('reason' in result) throw new Error(`${result.reason} ${result.name}`);
  return result;
};

type RefusedFile = [file: string, source: string, reason: string, name?: string];

const expectRefused = ([, source, reason, name]: RefusedFile) =>
  expect(cleanSvg(source)).toEqual({ reason, ...(name && { name }) });

describe('refuses content that runs or loads something', () => {
  test.for<RefusedFile>([
    ['a script', svg('<script>alert(1)</script>'), 'svg_active', 'script'],
    ['a script in a group', svg(`<g>${SHAPE}<script/></g>`), 'svg_active', 'script'],
    [
      'a script with a prefix',
      svg('<s:script xmlns:s="http://www.w3.org/2000/svg"/>'),
      'svg_active',
      'script',
    ],
    ['a style element', svg('<style>@import url(//evil.example)</style>'), 'svg_active', 'style'],
    [
      'HTML',
      svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>'),
      'svg_active',
      'foreignObject',
    ],
    [
      'an animation',
      svg('<rect width="9" height="9"><animate attributeName="x"/></rect>'),
      'svg_active',
      'animate',
    ],
    [
      'a changing attribute',
      svg('<rect><set attributeName="href" to="javascript:alert(1)"/></rect>'),
      'svg_active',
      'set',
    ],
    ['a link', svg(`<a>${SHAPE}</a>`), 'svg_active', 'a'],
    ['an event handler', svg('<path d="M0 0" onclick="alert(1)"/>'), 'svg_active', 'onclick'],
    [
      'an event handler of the drawing',
      svg(SHAPE, 'viewBox="0 0 4 1" onload="alert(1)"'),
      'svg_active',
      'onload',
    ],
    ['an event handler in capitals', svg('<path d="M0 0" OnLoad="alert(1)"/>'), 'svg_active', 'OnLoad'],
    [
      'entities',
      `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${svg('<g id="&b;"/>')}`,
      'svg_active',
      'DOCTYPE',
    ],
    [
      'an external entity',
      `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('&x;')}`,
      'svg_active',
      'DOCTYPE',
    ],
    [
      'a style sheet',
      `<?xml-stylesheet href="https://evil.example/a.css"?>${svg(SHAPE)}`,
      'svg_active',
      'xml-stylesheet',
    ],
    ['a picture', svg('<image href="https://evil.example/a.png"/>'), 'svg_reference', 'image'],
    ['a copied shape', svg('<use href="#a"/>'), 'svg_reference', 'use'],
    ['an address', svg('<path d="M0 0" xlink:href="https://evil.example"/>'), 'svg_reference', 'xlink:href'],
    ['a foreign colour', svg('<path d="M0 0" fill="url(https://evil.example#a)"/>'), 'svg_reference', 'fill'],
    [
      'a foreign colour in a style',
      svg('<path d="M0 0" style="fill:url(//evil.example#a)"/>'),
      'svg_reference',
      'fill',
    ],
    [
      'a foreign background',
      svg('<g style="background:url(//evil.example/a.png)"/>'),
      'svg_reference',
      'background',
    ],
  ])('%s', expectRefused);
});

describe('refuses files that cannot be a logo', () => {
  test.for<RefusedFile>([
    ['a drawing with text', svg('<text>Courier</text>'), 'svg_element', 'text'],
    ['a drawing with a filter', svg('<filter id="a"/>'), 'svg_element', 'filter'],
    ['an SVG within an SVG', svg(svg(SHAPE)), 'svg_element', 'svg'],
    ['an HTML page', '<html><svg/></html>', 'svg_unreadable'],
    ['an incomplete file', svg(SHAPE).slice(0, -4), 'svg_unreadable'],
    ['an empty file', '', 'svg_unreadable'],
    ['a drawing without a size', svg(SHAPE, ''), 'svg_without_size'],
    ['a drawing without a height', svg(SHAPE, 'viewBox="0 0 40 0"'), 'svg_without_size'],
    ['a drawing that is much wider than high', svg(SHAPE, 'viewBox="0 0 4000 1"'), 'svg_without_size'],
    ['too many elements', svg('<g/>'.repeat(SVG_LIMITS.elements)), 'svg_too_complex'],
    [
      'too many nested groups',
      svg('<g>'.repeat(SVG_LIMITS.depth) + '</g>'.repeat(SVG_LIMITS.depth)),
      'svg_too_complex',
    ],
    ['nested clip paths', svg('<clipPath><clipPath/></clipPath>'), 'svg_too_complex'],
    ['a file that is too large', svg(`<desc>${'x'.repeat(SVG_LIMITS.bytes)}</desc>`), 'svg_too_large'],
    [
      'a drawing that is too large after cleaning',
      svg(`<path d="${'M1 1'.repeat(SVG_LIMITS.cleanBytes / 4)}"/>`),
      'svg_too_large',
    ],
  ])('%s', expectRefused);
});

test('keeps shapes, colours, gradients and clip paths', () => {
  const inside =
    '<defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient><clipPath id="b"><rect width="40" height="10"/></clipPath></defs><g clip-path="url(#b)" transform="translate(1 2)"><path d="M0 0h40v10z" fill="url(#a)" fill-rule="evenodd"/></g>';
  expect(cleaned(svg(inside)).svg).toBe(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10" width="384" height="96">${inside}</svg>`,
  );
});

test('leaves out what drawing programs note, and reads their styles', () => {
  const source = `<?xml version="1.0"?><!-- Made by a program --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">${svg(
    `<title>Logo</title><metadata><script>alert(1)</script></metadata><n:view xmlns:n="http://inkscape.example" onload="x"/>Text<path class="a" data-a="b" style="fill:#b3161b; stroke : none;behavior:x" d="M0 0"/>`,
    'width="40mm" height="20mm" version="1.1" id="svg1"',
  )}`;
  expect(cleaned(source)).toEqual({
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="192" height="96" viewBox="0 0 40 20"><path d="M0 0" fill="#b3161b" stroke="none"/></svg>',
    width: 192,
    height: 96,
  });
});

test('leaves out values that are none', () => {
  const source = svg(
    `<path d="M0 0&quot; onload=&quot;x" fill="expression(1)" transform="rotate(1) url" stroke="red;x" id="a b"/>`,
  );
  expect(cleaned(source).svg).toContain('><path/></svg>');
});

test('changes nothing in a clean drawing', () => {
  for (const source of [
    svg(SHAPE),
    svg('<path style="fill:red" d="M0 0"/>', 'width="9" height="3" fill="none"'),
  ]) {
    const { svg: once } = cleaned(source);
    expect(cleaned(once).svg).toBe(once);
  }
});
