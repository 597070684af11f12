/* Shapes of SVG illustrations as text, in the colours of ink and paper with one accent. */

/** Size of an illustration in pixels. */
export const ILLUSTRATION_SIZE = { width: 1200, height: 800 } as const;

export const INK = '#16130f';
export const PAPER = '#fdfbf6';
export const ACCENT = '#b3161b';
export const NIGHT = '#2b3138';
export const SLATE = '#5d666b';
export const WATER = '#3c474d';
export const MIST = '#aeb1aa';
export const SAND = '#d9d2c1';
export const STEEL = '#8d8b82';

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
export const round = (value: number) => Math.round(value * 10) / 10;

export const rect = (x: number, y: number, width: number, height: number, fill: string, rest = '') =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}" ${rest}/>`;
export const circle = (x: number, y: number, radius: number, fill: string) =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${fill}"/>`;
export const shape = (path: string, fill: string, rest = '') => `<path d="${path}" fill="${fill}" ${rest}/>`;
export const line = (path: string, stroke: string, width: number) =>
  `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;

export function drawing(sky: string, ...parts: (string | string[])[]): string {
  const { width, height } = ILLUSTRATION_SIZE;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${rect(0, 0, width, height, sky)}${parts.flat().join('')}</svg>`;
}

/** Horizontal strokes on water, denser and shorter towards the top. */
export function ripples(seed: number, top: number, bottom: number, count: number, colour: string): string[] {
  const random = randomFrom(seed);
  return times(count, () => {
    const depth = random() ** 1.6;
    const length = 24 + depth * 150 * (0.5 + random());
    return rect(random() * 1300 - 80, top + depth * (bottom - top), length, 2 + depth * 4, colour, 'rx="2"');
  });
}

export function stars(seed: number, bottom: number, count: number): string[] {
  const random = randomFrom(seed);
  return times(count, () => circle(random() * 1200, random() * bottom, 0.8 + random() * 1.6, PAPER));
}
