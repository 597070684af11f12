import { Fragment, type ReactNode } from 'react';
import { shortAddress } from '../../lib/body/addresses.ts';
import type { Block, Body as Blocks, Run } from '../../lib/body/blocks.ts';

type Props = {
  body: Blocks;
  /** Renders the photo with this id. Without it, photos are not shown. */
  photo?: (id: string) => ReactNode;
};

/** Renders the blocks of a body. No other code turns them into HTML. */
export function Body({ body, photo }: Props) {
  return body.map((block, index) => <BlockOf key={keyOf(index)} block={block} photo={photo} />);
}

/** Blocks, items and runs have no ids, so their position is the key. */
const keyOf = (index: number) => `${index}`;

function BlockOf({ block, photo }: { block: Block } & Pick<Props, 'photo'>) {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Runs runs={block.runs} />
        </p>
      );
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((runs, index) => (
            <li key={keyOf(index)}>
              <Runs runs={runs} />
            </li>
          ))}
        </List>
      );
    }
    case 'quote':
      return <Quote text={block.text} attribution={block.attribution} />;
    case 'link':
      return (
        <p className="link-block">
          <a href={block.url}>{block.title}</a>
          {block.description && <span>{block.description}</span>}
          <cite>{block.site ?? shortAddress(block.url)}</cite>
        </p>
      );
    case 'photo':
      return photo?.(block.photo);
  }
}

function Quote({ text, attribution }: { text: string; attribution?: string }) {
  const lines = text.split('\n').filter((line) => line.trim());
  return (
    <blockquote>
      {lines.map((line, index) => (
        <p key={keyOf(index)}>{line}</p>
      ))}
      {attribution && (
        <footer>
          <cite>{attribution}</cite>
        </footer>
      )}
    </blockquote>
  );
}

function Runs({ runs }: { runs: Run[] }) {
  return runs.map((run, index) => <Fragment key={keyOf(index)}>{styled(run)}</Fragment>);
}

function styled({ text, bold, italic, link }: Run): ReactNode {
  let words: ReactNode = text;
  if (italic) words = <em>{words}</em>;
  if (bold) words = <strong>{words}</strong>;
  return link ? <a href={link}>{words}</a> : words;
}
