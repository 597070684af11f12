import { type KeyboardEvent, type RefObject, useState } from 'react';
import { type Chosen, type Edit, toggleLines, toggleLink, toggleMark } from '../../../lib/body/edit.ts';
import { composer } from '../../../lib/text/composer.ts';
import { selectionIn, typeInto } from '../../browser/typing.ts';
import { useShortcuts } from './useShortcuts.ts';

const TOOLS = {
  bold: { key: 'Mod+b', edit: (chosen) => toggleMark(chosen, 'bold') },
  italic: { key: 'Mod+i', edit: (chosen) => toggleMark(chosen, 'italic') },
  link: { key: 'Mod+k', edit: (chosen) => toggleLink(chosen) },
  list: { key: 'Mod+Shift+8', edit: (chosen) => toggleLines(chosen, 'list') },
  quote: { key: 'Mod+Shift+.', edit: (chosen) => toggleLines(chosen, 'quote') },
} satisfies Record<string, { key: string; edit(chosen: Chosen): Edit | null }>;

type Tool = keyof typeof TOOLS;
const NAMES = Object.keys(TOOLS) as Tool[];

type Props = {
  /** The text field that the tools change. */
  area: RefObject<HTMLTextAreaElement | null>;
};

/** Tools for the selected text. The toolbar is one tab stop; arrow keys move within it. */
export function Toolbar({ area }: Props) {
  const [current, setCurrent] = useState(0);
  const runTool = (name: Tool) => {
    const field = area.current;
    const edit = field && TOOLS[name].edit(selectionIn(field));
    if (field && edit) typeInto(field, edit);
  };
  useShortcuts(
    NAMES.map((name) => ({
      key: TOOLS[name].key,
      label: composer.tools[name],
      run: () => runTool(name),
      when: () => area.current !== null && document.activeElement === area.current,
    })),
  );
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const nextIndex = indexAfterKey(event.key, current);
    if (nextIndex === undefined) return;
    event.preventDefault();
    setCurrent(nextIndex);
    (event.currentTarget.children[nextIndex] as HTMLElement | undefined)?.focus();
  };
  return (
    <div className="toolbar" role="toolbar" aria-label={composer.tools.title} onKeyDown={onKeyDown}>
      {NAMES.map((name, index) => (
        <button
          key={name}
          type="button"
          className={`tool ${name}`}
          tabIndex={index === current ? 0 : -1}
          aria-keyshortcuts={ariaShortcut(TOOLS[name].key)}
          // Keeps the focus in the text field, and a phone's keyboard open.
          onMouseDown={(event) => event.preventDefault()}
          onFocus={() => setCurrent(index)}
          onClick={() => runTool(name)}
        >
          {composer.tools[name]}
        </button>
      ))}
    </div>
  );
}

function indexAfterKey(key: string, current: number): number | undefined {
  const last = NAMES.length - 1;
  if (key === 'ArrowRight') return current === last ? 0 : current + 1;
  if (key === 'ArrowLeft') return current === 0 ? last : current - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}

/** Value of `aria-keyshortcuts` for a shortcut, for both kinds of keyboard. */
export function ariaShortcut(key: string): string {
  return key.startsWith('Mod+') ? `${key.replace('Mod', 'Control')} ${key.replace('Mod', 'Meta')}` : key;
}
