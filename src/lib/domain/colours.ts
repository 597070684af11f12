import { LIMITS } from './limits.ts';

/* The accent colour of a site, which an owner may choose for the light and the dark scheme. Colours are `#rrggbb`. */

export type Scheme = 'light' | 'dark';
export const SCHEMES: readonly Scheme[] = ['light', 'dark'];

/** Accent colours of a site. An empty string means the default. */
type Accents = { accent: string; accent_dark: string };

/**
 * Backgrounds that accents are read on. A test compares them with src/layouts/styles/tokens.css and
 * `private.background_colour()`.
 */
export const BACKGROUND: Record<Scheme, string> = { light: '#fdfbf6', dark: '#14120f' };
export const DEFAULT_ACCENT: Record<Scheme, string> = { light: '#b3161b', dark: '#ff6b61' };

/** Minimum contrast of text, from WCAG 2.2, success criterion 1.4.3. */
export const TEXT_CONTRAST = LIMITS.accent_contrast_tenths / 10;

const channelsOf = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** Returns the relative luminance of a colour as WCAG defines it, 0 to 1. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio of two colours as WCAG defines it, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [least = 0, most = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (most + 0.05) / (least + 0.05);
}

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/.test(text);

export const isReadableAccent = (colour: string, scheme: Scheme): boolean =>
  contrast(colour, BACKGROUND[scheme]) >= TEXT_CONTRAST;

/** Returns the nearest colour with enough contrast for text: darker in the light scheme, lighter in the dark one. */
export function nearestReadable(colour: string, scheme: Scheme): string {
  const goal = scheme === 'light' ? 0 : 255;
  for (let step = 0; step <= 255; step++) {
    const mixed = channelsOf(colour).map((channel) => Math.round(channel + ((goal - channel) * step) / 255));
    const candidate = `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
    if (isReadableAccent(candidate, scheme)) return candidate;
  }
  return DEFAULT_ACCENT[scheme];
}

const DARK = ' and (prefers-color-scheme:dark)';

/** Returns the CSS that replaces the default accents with those of the site; '' if the site has none. Not for print. */
export function accentStyle({ accent, accent_dark }: Accents): string {
  // One step more specific than the tokens, which may come later in the page.
  const rule = (media: string, colour: string) =>
    isColour(colour) ? `@media screen${media}{html:root{--accent:${colour}}}` : '';
  // If only one of the two is chosen, the other keeps its default.
  if (!accent && !accent_dark) return '';
  return rule('', accent || DEFAULT_ACCENT.light) + rule(DARK, accent_dark || DEFAULT_ACCENT.dark);
}

/** Returns the CSS of the samples that show both schemes beside each other, independent of the page's scheme. */
export function sampleStyle({ accent, accent_dark }: Accents): string {
  const colours = { light: accent || DEFAULT_ACCENT.light, dark: accent_dark || DEFAULT_ACCENT.dark };
  return SCHEMES.map((scheme) => `.sample-${scheme}{--accent:${colours[scheme]}}`).join('');
}

const COLOUR_STYLE =
  /^(?:@media screen(?: and \(prefers-color-scheme:dark\))?\{html:root\{--accent:#[0-9a-f]{6}\}\}|\.sample-(?:light|dark)\{--accent:#[0-9a-f]{6}\})+$/;

/** Whether a style sets only the colours that this module writes, so that it is safe to include. */
export const isColourStyle = (text: string): boolean => COLOUR_STYLE.test(text);
