import type { Node } from 'mdast';

/** The part of a text that a node was read from, exactly as it was typed. */
export function asTyped(node: Node, source: string): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}
