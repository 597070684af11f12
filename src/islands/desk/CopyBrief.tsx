import { useId, useState } from 'react';
import { briefTextPath } from '../../lib/domain/coverages.ts';
import type { Desk } from './desk.ts';
import { useMessages } from './messages.tsx';

type Props = {
  desk: Pick<Desk, 'view'>;
  slug: string;
  /** Closes the menu. */
  onCopied(): void;
};

/** Item of the state menu that copies the brief. Where that fails, for example over plain HTTP, it links to the text. */
export function CopyBrief({ desk, slug, onCopied }: Props) {
  const { copyBrief } = useMessages().running;
  const [hasFailed, setFailed] = useState(false);
  const id = useId();
  const path = briefTextPath(slug);
  const copy = async () => {
    try {
      await copyTextOf(path);
      setFailed(false);
      desk.view.$announcement.set(copyBrief.copied);
      onCopied();
    } catch {
      setFailed(true);
    }
  };
  return (
    <li className="menu-item">
      <button type="button" aria-describedby={id} onClick={() => void copy()}>
        {copyBrief.copy}
      </button>
      <span className="help" id={id}>
        {copyBrief.help}
      </span>
      <p className="status" role="status">
        {hasFailed && (
          <>
            {copyBrief.notCopied} <a href={path}>{copyBrief.open}</a>
          </>
        )}
      </p>
    </li>
  );
}

/** Copies the text at a path. The browser gets a promise, because Safari allows copying only while a press is handled. */
async function copyTextOf(path: string): Promise<void> {
  const fetchText = async () => {
    const response = await fetch(path, { cache: 'no-cache' });
    if (!response.ok) throw new Error(`${response.status}`);
    return new Blob([await response.text()], { type: 'text/plain' });
  };
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': fetchText() })]);
}
