import type { Block, Body, Run } from '../body/blocks.ts';

/** What a line of a body is: `about` and `site` belong to the link above them, `source` to the quote. */
export type LineKind =
  | 'paragraph'
  | 'item'
  | 'numbered'
  | 'quote'
  | 'source'
  | 'link'
  | 'about'
  | 'site'
  | 'photo';

/** One line of a body. That of a photo has its id as its text. */
export type Line = { kind: LineKind; runs: Run[] };

/** A body line by line, as two versions are compared. */
export const linesOfBody = (body: Body): Line[] => body.flatMap(linesOfBlock);

const line = (kind: LineKind, text: string | undefined): Line[] =>
  text === undefined ? [] : [{ kind, runs: [{ text }] }];

function linesOfBlock(block: Block): Line[] {
  switch (block.type) {
    case 'paragraph':
      return [{ kind: 'paragraph', runs: block.runs }];
    case 'list':
      return block.items.map((runs) => ({ kind: block.ordered ? 'numbered' : 'item', runs }));
    case 'quote':
      return [
        ...block.text.split('\n').flatMap((text) => line('quote', text)),
        ...line('source', block.attribution),
      ];
    case 'link':
      return [
        { kind: 'link', runs: [{ text: block.title, link: block.url }] },
        ...line('about', block.description),
        ...line('site', block.site),
      ];
    case 'photo':
      return line('photo', block.photo);
  }
}
