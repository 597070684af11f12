import { SaxesParser, type SaxesTagNS } from 'saxes';

/** Why an SVG was refused. `name` is the element or attribute. */
export type SvgProblem = {
  reason:
    | 'svg_unreadable'
    | 'svg_too_large'
    | 'svg_too_complex'
    | 'svg_without_size'
    | 'svg_active'
    | 'svg_element'
    | 'svg_reference';
  name?: string;
};

export type CleanSvg = { svg: string; width: number; height: number };

/** Sizes in bytes before and after cleaning, number of elements, and their depth. */
export const SVG_LIMITS = { bytes: 65_536, cleanBytes: 32_768, elements: 1_000, depth: 20 } as const;

const SVG = 'http://www.w3.org/2000/svg';

/** Elements that draw shapes, or that group, clip and colour them. */
const SHAPES = new Set(['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon']);
const GRADIENTS = new Set(['linearGradient', 'radialGradient']);
const ALLOWED = new Set([...SHAPES, ...GRADIENTS, 'svg', 'g', 'defs', 'stop', 'clipPath']);

/** Elements that show nothing. They are left out with all that they contain. */
const IGNORED = new Set(['title', 'desc', 'metadata']);

/** Elements that run, load or move something. */
const ACTIVE = new Set([
  ...['script', 'style', 'foreignObject', 'iframe', 'handler', 'listener', 'a', 'audio', 'video', 'canvas'],
  ...['animate', 'animateColor', 'animateMotion', 'animateTransform', 'set', 'discard', 'mpath'],
]);

/** Elements that load or reuse other content. */
const EXTERNAL = new Set(['use', 'image', 'feImage', 'tref', 'cursor', 'color-profile', 'font-face-uri']);

const NUMBER = '[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?';
const length = new RegExp(`^${NUMBER}(?:px|%)?$`);
const numbers = /^[-+\d.eE,\s]+$/;
const word = /^[a-zA-Z-]{1,30}$/;
const id = /^[A-Za-z_][\w.-]{0,80}$/;
const local = /^url\(\s*(["']?)#[A-Za-z_][\w.-]{0,80}\1\s*\)$/;
const colour = /^(?:#[0-9a-fA-F]{3,8}|[a-zA-Z]{1,30}|(?:rgb|hsl)a?\([\d\s.,%/]{1,60}\))$/;
const paint = new RegExp(`${local.source}|${colour.source}`);
const transform = /^(?:(?:matrix|translate|scale|rotate|skewX|skewY)\([-+\d.eE,\s]{1,200}\)[\s,]*){1,20}$/;

/** Attributes with the values that each may have. All other attributes are left out. */
const ATTRIBUTES: Record<string, RegExp> = {
  id,
  d: /^[MmZzLlHhVvCcSsQqTtAa\d\s.,eE+-]+$/,
  points: numbers,
  viewBox: numbers,
  transform,
  gradientTransform: transform,
  fill: paint,
  stroke: paint,
  color: colour,
  'stop-color': colour,
  'clip-path': local,
  'stroke-dasharray': /^(?:none|[-+\d.eE,\s%]{1,200})$/,
  ...Object.fromEntries(
    [
      ...[
        'x',
        'y',
        'x1',
        'y1',
        'x2',
        'y2',
        'cx',
        'cy',
        'r',
        'rx',
        'ry',
        'fx',
        'fy',
        'width',
        'height',
        'offset',
      ],
      ...['opacity', 'fill-opacity', 'stroke-opacity', 'stop-opacity', 'stroke-width', 'stroke-miterlimit'],
      'stroke-dashoffset',
    ].map((name) => [name, length]),
  ),
  ...Object.fromEntries(
    [
      ...['fill-rule', 'clip-rule', 'stroke-linecap', 'stroke-linejoin', 'gradientUnits', 'spreadMethod'],
      ...['clipPathUnits', 'display', 'visibility', 'shape-rendering', 'preserveAspectRatio'],
    ].map((name) => [name, name === 'preserveAspectRatio' ? /^[a-zA-Z ]{1,30}$/ : word]),
  ),
};

class SvgError extends Error {
  readonly problem: SvgProblem;
  constructor(reason: SvgProblem['reason'], name?: string) {
    super(reason);
    this.problem = { reason, ...(name !== undefined && { name: name.slice(0, 40) }) };
  }
}

/**
 * Reduces an SVG to its shapes: elements and attributes of the lists above. Cleaning a clean SVG changes
 * nothing. Content that shows nothing is left out. Content that runs or loads something is refused.
 */
export function cleanSvg(source: string): CleanSvg | SvgProblem {
  if (Buffer.byteLength(source) > SVG_LIMITS.bytes) return { reason: 'svg_too_large' };
  try {
    const cleaned = rewrite(source);
    return Buffer.byteLength(cleaned.svg) > SVG_LIMITS.cleanBytes ? { reason: 'svg_too_large' } : cleaned;
  } catch (error) {
    if (error instanceof SvgError) return error.problem;
    throw error;
  }
}

function rewrite(source: string): CleanSvg {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const open: string[] = [];
  /** Depth within an element that is left out; 0 outside. */
  let skipped = 0;
  let count = 0;
  let svg = '';
  let size: DrawingSize | undefined;

  parser.on('error', () => {
    throw new SvgError('svg_unreadable');
  });
  parser.on('doctype', (text) => {
    // Entities are declared in brackets.
    if (text.includes('[')) throw new SvgError('svg_active', 'DOCTYPE');
  });
  parser.on('processinginstruction', ({ target }) => {
    throw new SvgError('svg_active', target);
  });
  parser.on('opentag', (tag) => {
    if (++count > SVG_LIMITS.elements) throw new SvgError('svg_too_complex');
    if (skipped > 0 || isIgnored(tag)) {
      skipped++;
      return;
    }
    if (open.length === 0) {
      if (tag.local !== 'svg') throw new SvgError('svg_unreadable');
      size = sizeOf(tag);
    } else if (tag.local === 'svg') throw new SvgError('svg_element', 'svg');
    requireAllowed(tag, open);
    if (open.length >= SVG_LIMITS.depth) throw new SvgError('svg_too_complex');
    svg += `<${tag.local}${attributesOf(tag, open, size)}${tag.isSelfClosing ? '/' : ''}>`;
    open.push(tag.local);
  });
  parser.on('closetag', (tag) => {
    if (skipped > 0) {
      skipped--;
      return;
    }
    open.pop();
    if (!tag.isSelfClosing) svg += `</${tag.local}>`;
  });
  parser.write(source).close();
  if (!size) throw new SvgError('svg_unreadable');
  return { svg, width: size.width, height: size.height };
}

/** Elements of other namespaces are notes of drawing programs. */
const isIgnored = ({ uri, local }: SaxesTagNS) => (uri !== SVG && uri !== '') || IGNORED.has(local);

function requireAllowed({ local }: SaxesTagNS, open: string[]): void {
  if (ACTIVE.has(local)) throw new SvgError('svg_active', local);
  if (EXTERNAL.has(local)) throw new SvgError('svg_reference', local);
  if (!ALLOWED.has(local)) throw new SvgError('svg_element', local);
  // A clip path of clip paths could take for ever to draw.
  if (local === 'clipPath' && open.includes('clipPath')) throw new SvgError('svg_too_complex');
}

/** Returns the attributes as text: the allowed ones, sorted out of `style` too. The values contain no special character. */
function attributesOf(tag: SaxesTagNS, open: string[], size: DrawingSize | undefined): string {
  const values = new Map<string, string>();
  for (const { name, prefix, local, value } of Object.values(tag.attributes)) {
    if (/^on/i.test(local)) throw new SvgError('svg_active', name);
    if (local === 'href' || local === 'src') throw new SvgError('svg_reference', name);
    if (prefix === '') values.set(name, value);
  }
  const styles = values.get('style')?.split(';') ?? [];
  values.delete('style');
  for (const declaration of styles) {
    const [name = '', ...value] = declaration.split(':');
    values.set(name.trim(), value.join(':').trim());
  }
  if (open.includes('clipPath')) values.delete('clip-path');
  if (open.length === 0) {
    for (const name of ['id', 'x', 'y', 'transform', 'clip-path']) values.delete(name);
    values.set('width', String(size?.width));
    values.set('height', String(size?.height));
    if (!values.has('viewBox')) values.set('viewBox', `0 0 ${size?.drawn.join(' ')}`);
  }
  let text = open.length === 0 ? ` xmlns="${SVG}"` : '';
  for (const [name, untrimmed] of values) {
    const value = untrimmed.trim().replaceAll(/\s+/g, ' ');
    if (/url\(/i.test(value) && !local.test(value)) throw new SvgError('svg_reference', name);
    if (Object.hasOwn(ATTRIBUTES, name) && ATTRIBUTES[name]?.test(value))
      text += ` ${name}="${value.replaceAll(/["']/g, '')}"`;
  }
  return text;
}

/** Size in which it is stored, and in units of the drawing. */
type DrawingSize = { width: number; height: number; drawn: [width: number, height: number] };

/** Height in which sizes are stored: pages need the ratio only. */
const STORED_HEIGHT = 96;
const MAX_RATIO = 12;

/** Returns the size of the picture by its `viewBox`, or by width and height. */
function sizeOf({ attributes }: SaxesTagNS): DrawingSize {
  const [, , ...box] = (attributes.viewBox?.value ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [width = 0, height = 0] =
    box.length === 2
      ? box
      : [attributes.width, attributes.height].map((one) => Number.parseFloat(one?.value ?? ''));
  const ratio = width / height;
  if (!(ratio >= 1 / MAX_RATIO && ratio <= MAX_RATIO)) throw new SvgError('svg_without_size');
  return {
    width: Math.max(1, Math.round(STORED_HEIGHT * ratio)),
    height: STORED_HEIGHT,
    drawn: [width, height],
  };
}
