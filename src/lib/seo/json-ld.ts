/** A value as the text of a `<script type="application/ld+json">`: no `<` in it, so nothing can end the script. */
export function jsonLd(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
