/** A position in the picture, in its own units. */
export type Position = { x: number; y: number };

/** Size of the picture. */
type Size = { width: number; height: number };

/** Distance beyond the edge at which shapes are cut, so that their outlines stay out of sight. */
const BLEED = 16;

type Edge = { isInside(position: Position): boolean; cut(from: Position, to: Position): Position };

const between = (from: Position, to: Position, part: number): Position => ({
  x: from.x + (to.x - from.x) * part,
  y: from.y + (to.y - from.y) * part,
});

const edge = (axis: 'x' | 'y', at: number, side: 1 | -1): Edge => ({
  isInside: (position) => (position[axis] - at) * side >= 0,
  cut: (from, to) => between(from, to, (at - from[axis]) / (to[axis] - from[axis])),
});

const edgesOf = ({ width, height }: Size): Edge[] => [
  edge('x', -BLEED, 1),
  edge('x', width + BLEED, -1),
  edge('y', -BLEED, 1),
  edge('y', height + BLEED, -1),
];

/** Cuts the ring of an area at the edges of the picture (Sutherland and Hodgman). Empty if it is outside. */
export function clipRing(ring: Position[], size: Size): Position[] {
  let rest = ring;
  for (const { isInside, cut } of edgesOf(size)) {
    const kept: Position[] = [];
    let previous = rest.at(-1);
    for (const position of rest) {
      if (!previous) break;
      if (isInside(position) !== isInside(previous)) kept.push(cut(previous, position));
      if (isInside(position)) kept.push(position);
      previous = position;
    }
    rest = kept;
  }
  return rest;
}

/** Splits a line into the parts that may be in the picture. Segments at the edge stay whole. */
export function clipLine(line: Position[], { width, height }: Size): Position[][] {
  const isOutside = (a: Position, b: Position) =>
    Math.max(a.x, b.x) < -BLEED ||
    Math.min(a.x, b.x) > width + BLEED ||
    Math.max(a.y, b.y) < -BLEED ||
    Math.min(a.y, b.y) > height + BLEED;
  const parts: Position[][] = [];
  let current: Position[] = [];
  line.forEach((to, index) => {
    const from = line[index - 1];
    if (!from) return;
    if (isOutside(from, to)) {
      current = [];
      return;
    }
    if (current.length === 0) {
      current.push(from);
      parts.push(current);
    }
    current.push(to);
  });
  return parts;
}

/** Units of the picture below which a change of direction is invisible. */
const MIN_STEP = 2;

/** Rounds positions to whole units and leaves out those that are too close to the last one. */
function simplified(positions: Position[]): Position[] {
  const kept: Position[] = [];
  positions.forEach((position, index) => {
    const [x, y] = [Math.round(position.x), Math.round(position.y)];
    const last = kept.at(-1);
    const distance = last ? Math.abs(x - last.x) + Math.abs(y - last.y) : Number.POSITIVE_INFINITY;
    if (distance >= MIN_STEP || (index === positions.length - 1 && distance > 0)) kept.push({ x, y });
  });
  return kept;
}

/** Writes a line or ring as a part of an SVG path, with relative coordinates; '' if nothing is left of it. */
export function pathOf(positions: Position[], isRing: boolean): string {
  const [first, ...rest] = simplified(positions);
  if (!first || rest.length < (isRing ? 2 : 1)) return '';
  let { x, y } = first;
  const steps = rest.map((to) => {
    const step = `${to.x - x}${to.y < y ? '' : ' '}${to.y - y}`;
    ({ x, y } = to);
    return step;
  });
  return `M${first.x} ${first.y}l${steps.join(' ')}${isRing ? 'z' : ''}`;
}

export const isWithin = ({ x, y }: Position, { width, height }: Size): boolean =>
  x >= 0 && x <= width && y >= 0 && y <= height;

/** The position at a distance along a line. */
function positionAt(line: Position[], distance: number): Position | undefined {
  let left = distance;
  for (const [index, to] of line.entries()) {
    const from = line[index - 1];
    if (!from) continue;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length > 0 && left <= length) return between(from, to, left / length);
    left -= length;
  }
  return undefined;
}

/** A part of a line is straight if its ends are at least this part of its length apart. */
const STRAIGHTNESS = 0.98;
/** Parts of a line, from its beginning, around which a name may stand, the best first. */
const MIDDLES = [0.5, 0.35, 0.65, 0.2, 0.8];

/**
 * Finds a straight part of a line within the picture that is as long as a name. @returns its ends, from left to right
 */
export function straightPart(line: Position[], length: number, size: Size): [Position, Position] | undefined {
  const total = line.reduce((sum, { x, y }, index) => {
    const before = line[index - 1];
    return before ? sum + Math.hypot(x - before.x, y - before.y) : 0;
  }, 0);
  for (const middle of MIDDLES) {
    const start = positionAt(line, total * middle - length / 2);
    const end = positionAt(line, total * middle + length / 2);
    if (total * middle < length / 2 || !start || !end) continue;
    const isStraight = Math.hypot(end.x - start.x, end.y - start.y) >= length * STRAIGHTNESS;
    if (isStraight && isWithin(start, size) && isWithin(end, size)) {
      return start.x <= end.x ? [start, end] : [end, start];
    }
  }
  return undefined;
}
