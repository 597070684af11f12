import { LIMITS } from './limits.ts';

/* The one colour of the house, which an owner may choose: by day and in the dark. Colours are `#rrggbb`. */

export type Scheme = 'light' | 'dark';
export const SCHEMES: readonly Scheme[] = ['light', 'dark'];

/** Whether a site has chosen; '' stands for the house's own. */
export type Accents = { accent: string; accent_dark: string };

/** What accents are read on: as in src/layouts/styles/tokens.css and `private.background_colour()`, which a test holds together. */
export const PAPER: Record<Scheme, string> = { light: '#fdfbf6', dark: '#14120f' };
export const HOUSE_ACCENT: Record<Scheme, string> = { light: '#b3161b', dark: '#ff6b61' };

/** The contrast that text needs: WCAG 2.2, 1.4.3. */
export const TEXT_CONTRAST = LIMITS.accent_contrast_tenths / 10;

const partsOf = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** How light a colour is, by WCAG's relative luminance: 0 to 1. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** How two colours contrast, by WCAG: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [least = 0, most = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (most + 0.05) / (least + 0.05);
}

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/.test(text);

export const isReadable = (colour: string, scheme: Scheme): boolean =>
  contrast(colour, PAPER[scheme]) >= TEXT_CONTRAST;

/** The colour nearest to one that can be read as text: darker by day, lighter in the dark, until it can. */
export function nearestReadable(colour: string, scheme: Scheme): string {
  const goal = scheme === 'light' ? 0 : 255;
  for (let step = 0; step <= 255; step++) {
    const mixed = partsOf(colour).map((part) => Math.round(part + ((goal - part) * step) / 255));
    const candidate = `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    if (isReadable(candidate, scheme)) return candidate;
  }
  return HOUSE_ACCENT[scheme];
}

const DARK = ' and (prefers-color-scheme:dark)';

/** The style that puts a site's own colours in the place of the house's; '' where it has none. Not for paper. */
export function accentStyle({ accent, accent_dark }: Accents): string {
  // By one step more specific than the tokens, which may come later in a page.
  const rule = (media: string, colour: string) =>
    isColour(colour) ? `@media screen${media}{html:root{--accent:${colour}}}` : '';
  // Where one of the two is chosen, the other stays the house's.
  if (!accent && !accent_dark) return '';
  return rule('', accent || HOUSE_ACCENT.light) + rule(DARK, accent_dark || HOUSE_ACCENT.dark);
}

/** The style of samples that show colours beside each other, whatever the page around them is. */
export function sampleStyle({ accent, accent_dark }: Accents): string {
  const colours = { light: accent || HOUSE_ACCENT.light, dark: accent_dark || HOUSE_ACCENT.dark };
  return SCHEMES.map((scheme) => `.sample-${scheme}{--accent:${colours[scheme]}}`).join('');
}

const COLOUR_STYLE =
  /^(?:@media screen(?: and \(prefers-color-scheme:dark\))?\{html:root\{--accent:#[0-9a-f]{6}\}\}|\.sample-(?:light|dark)\{--accent:#[0-9a-f]{6}\})+$/;

/** Whether a style says nothing but which colours these are: it can do no harm, whoever wrote it. */
export const isColourStyle = (text: string): boolean => COLOUR_STYLE.test(text);
