/**
 * A value as the text of a `<script type="application/ld+json">`: no `<` in it, so nothing can end the script, and
 * nothing that looks like a written-out character (lib/http/lean.ts).
 */
export function jsonLd(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('&#', '\\u0026#');
}
