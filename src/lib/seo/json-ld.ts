import type { Graph, Thing } from 'schema-dts';

/** What a page tells machines, each thing by its `@id` where others name it. */
export type Things = Exclude<Thing, string>[];

/** Things as the text of a `<script type="application/ld+json">`. */
export function jsonLd(things: Things): string {
  const graph: Graph = { '@context': 'https://schema.org', '@graph': things };
  return asScript(graph);
}

/**
 * JSON that may stand in a script: no `<` in it, so nothing can end that, nothing that looks like a written-out
 * character (lib/http/lean.ts), no half of a character, and no line separator.
 */
export function asScript(value: object): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part))
    .replaceAll('<', '\\u003c')
    .replaceAll('&#', '\\u0026#')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
