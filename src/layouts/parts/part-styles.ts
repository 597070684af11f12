import type { Site } from '../../lib/data/site.ts';
import { DEFAULT_ACCENT, isColour } from '../../lib/domain/colours.ts';

/*
 * Styles of a coverage on the pages of another site. They are sent as they stand here, because the build would rewrite
 * `light-dark()` for older browsers. Type and colours are those of that site, which sets the custom properties
 * `--stoppress-…` (docs/embedding.md).
 */

/** Every selector begins with `.stoppress`, so that the rules change nothing else on the page. */
const RULES: readonly (readonly [selector: string, declarations: string])[] = [
  [
    '.stoppress',
    '--own-muted:var(--stoppress-muted,color-mix(in srgb,currentcolor 72%,transparent));' +
      '--own-rule:var(--stoppress-rule,color-mix(in srgb,currentcolor 22%,transparent));' +
      '--own-gap:var(--stoppress-gap,1.2em);overflow-wrap:break-word',
  ],
  ['.stoppress .stoppress-title a', 'color:inherit;text-decoration:none'],
  ['.stoppress .stoppress-title a:hover', 'text-decoration:underline'],
  ['.stoppress .stoppress-live', 'color:var(--own-accent)'],
  [
    '.stoppress .stoppress-urgent',
    'padding-inline-start:.7em;border-inline-start:.25em solid var(--own-accent)',
  ],
  ['.stoppress .stoppress-urgent b', 'color:var(--own-accent)'],
  ['.stoppress time', 'font-variant-numeric:tabular-nums'],
  [
    '.stoppress .stoppress-state,.stoppress .stoppress-when,.stoppress .stoppress-by,.stoppress .stoppress-day,.stoppress figcaption',
    'color:var(--own-muted);font-size:.875em',
  ],
  ['.stoppress .stoppress-when', 'margin-block:.3em'],
  ['.stoppress .stoppress-when a', 'color:inherit'],
  ['.stoppress .stoppress-lines time', 'color:var(--own-muted)'],
  ['.stoppress .stoppress-day', 'margin-block:var(--own-gap) 0;font-weight:600'],
  [
    '.stoppress .stoppress-update',
    'margin-block:var(--own-gap);padding-block-start:calc(var(--own-gap)/2);border-block-start:1px solid var(--own-rule)',
  ],
  ['.stoppress figure', 'margin-inline:0;overflow-x:auto'],
  ['.stoppress img', 'display:block;max-inline-size:100%;block-size:auto'],
  ['.stoppress table', 'border-collapse:collapse'],
  [
    '.stoppress th,.stoppress td',
    'padding:.2em .6em .2em 0;border-block-end:1px solid var(--own-rule);vertical-align:top',
  ],
];

/** Returns the styles with the accents of the site. The `color-scheme` of the other site decides which one applies. */
export function partStyles({ accent, accent_dark }: Pick<Site, 'accent' | 'accent_dark'>): string {
  const light = isColour(accent) ? accent : DEFAULT_ACCENT.light;
  const dark = isColour(accent_dark) ? accent_dark : DEFAULT_ACCENT.dark;
  const accents = `--own-accent:var(--stoppress-accent,light-dark(${light},${dark}))`;
  const rules: typeof RULES = [['.stoppress', accents], ...RULES];
  return rules.map(([selector, declarations]) => `${selector}{${declarations}}`).join('');
}
