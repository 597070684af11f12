import { decodeHTML } from 'entities';

/**
 * The words of a template of ours, for clients that show text: paragraphs, and under each link's words its address.
 * It knows the few elements that those files are written in, and sees no value that is filled in.
 */
export function textOf(page: string): string {
  const words = page
    .replace(/^.*<body[^>]*>/is, '')
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<a\b[^>]*\shref="([^"]*)"[^>]*>(.*?)<\/a>/g, '$2:<br>$1')
    .replaceAll(/<br\s*\/?>\s*/g, '\n')
    .replaceAll(/<\/(p|h[1-6]|li|tr|div)>\s*/g, '\n\n')
    .replaceAll(/<[^>]*>/g, '');
  return `${decodeHTML(words)
    .replaceAll(/^ +| +$/gm, '')
    .trim()}\n`;
}
