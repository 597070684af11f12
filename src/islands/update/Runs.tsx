import { Fragment, type ReactNode } from 'react';
import type { Run } from '../../lib/domain/body/blocks.ts';

/** Blocks, items and runs have no ids, so their position is the key. */
export const keyOf = (index: number) => `${index}`;

/** Renders text with its formatting. */
export function Runs({ runs }: { runs: Run[] }) {
  return runs.map((run, index) => <Fragment key={keyOf(index)}>{styled(run)}</Fragment>);
}

function styled({ text, bold, italic, link }: Run): ReactNode {
  let words: ReactNode = text;
  if (italic) words = <em>{words}</em>;
  if (bold) words = <strong>{words}</strong>;
  return link ? <a href={link}>{words}</a> : words;
}
