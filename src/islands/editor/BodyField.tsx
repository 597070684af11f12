import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useState } from 'react';
import { countCharacters } from '../../lib/data/update-form.ts';
import { type Body, bodyText } from '../../lib/domain/body/blocks.ts';
import {
  insertTable,
  nextLine,
  type TextEdit,
  type TextSelection,
  toggleLines,
  toggleLink,
  toggleMark,
} from '../../lib/domain/body/edit.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import { matchRanges } from '../../lib/domain/search.ts';
import { useShortcuts } from '../desk/KeyboardShortcuts.tsx';
import { useMessages } from '../desk/messages.tsx';
import { Field } from '../shared/Field.tsx';
import type { FieldsProps } from './MoreFields.tsx';
import { growToFit, pasted, selectionIn, typeInto } from './typing.ts';

type BodyFieldProps = FieldsProps & {
  area: RefObject<HTMLTextAreaElement | null>;
  /** The body that the form's text describes. */
  body: Body;
  /** Whether a heading above names the field. */
  isHeaded: boolean;
};

/** Text of the update with its character count. */
export function BodyField({
  area,
  form,
  body,
  problems,
  isHeaded,
  isReadOnly,
  language,
  change,
}: BodyFieldProps) {
  const messages = useMessages();
  const length = countCharacters(bodyText(body));
  useEffect(() => {
    if (area.current && form.body !== undefined) growToFit(area.current);
  }, [area, form.body]);
  useEffect(() => continueLists(area.current), [area]);

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const edit = isReadOnly ? null : pasted(event.clipboardData, selectionIn(event.currentTarget));
    if (!edit) return;
    event.preventDefault();
    typeInto(event.currentTarget, edit);
  };
  return (
    <>
      <Field label={messages.composer.body} problem={problems.body} isHeaded={isHeaded}>
        {(control) => (
          <textarea
            {...control}
            ref={area}
            name="body"
            rows={3}
            lang={language}
            dir="auto"
            readOnly={isReadOnly}
            placeholder={isHeaded ? messages.composer.placeholder : undefined}
            value={form.body}
            onChange={(event) => change({ body: event.target.value })}
            onPaste={onPaste}
          />
        )}
      </Field>
      {body.some(({ type }) => type === 'media') && <p className="help">{messages.composer.mediaHelp}</p>}
      {length > 0 && <p className="help count">{messages.composer.count(length, LIMITS.body_characters)}</p>}
    </>
  );
}

/** Continues lists at Enter, on any keyboard, but not during composition of a character. */
function continueLists(area: HTMLTextAreaElement | null) {
  const onBeforeInput = (event: InputEvent) => {
    if (!area || event.isComposing || event.inputType !== 'insertLineBreak') return;
    const edit = nextLine(selectionIn(area));
    if (!edit) return;
    event.preventDefault();
    typeInto(area, edit);
  };
  area?.addEventListener('beforeinput', onBeforeInput);
  return () => area?.removeEventListener('beforeinput', onBeforeInput);
}

const TOOLS = {
  bold: { key: 'Mod+b', edit: (chosen) => toggleMark(chosen, 'bold') },
  italic: { key: 'Mod+i', edit: (chosen) => toggleMark(chosen, 'italic') },
  link: { key: 'Mod+k', edit: (chosen) => toggleLink(chosen) },
  list: { key: 'Mod+Shift+8', edit: (chosen) => toggleLines(chosen, 'list') },
  quote: { key: 'Mod+Shift+.', edit: (chosen) => toggleLines(chosen, 'quote') },
  table: { key: 'Mod+Shift+9', edit: (chosen) => insertTable(chosen) },
} satisfies Record<string, { key: string; edit(chosen: TextSelection): TextEdit | null }>;

type Tool = keyof typeof TOOLS;
const NAMES = Object.keys(TOOLS) as Tool[];

type ToolbarProps = {
  /** The text field that the tools change. */
  area: RefObject<HTMLTextAreaElement | null>;
};

/** Tools for the selected text. The toolbar is one tab stop; arrow keys move within it. */
export function Toolbar({ area }: ToolbarProps) {
  const messages = useMessages();
  const [current, setCurrent] = useState(0);
  const runTool = (name: Tool) => {
    const field = area.current;
    const edit = field && TOOLS[name].edit(selectionIn(field));
    if (field && edit) typeInto(field, edit);
  };
  useShortcuts(
    NAMES.map((name) => ({
      key: TOOLS[name].key,
      label: messages.composer.tools[name],
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
    <div className="toolbar" role="toolbar" aria-label={messages.composer.tools.title} onKeyDown={onKeyDown}>
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
          {messages.composer.tools[name]}
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

/** Name of the highlight in the style sheet. */
const NAME = 'search-match';

/** Highlights search matches in the list with the CSS Custom Highlight API, where the browser supports it. */
export function useSearchHighlights(list: RefObject<HTMLElement | null>, query: string): void {
  // Runs after every rendering, because the rows may have changed.
  useEffect(() => {
    if (!('highlights' in CSS) || !list.current || query === '') return;
    CSS.highlights.set(NAME, new Highlight(...rangesIn(list.current, query.split(' '))));
    return () => {
      CSS.highlights.delete(NAME);
    };
  });
}

function rangesIn(list: HTMLElement, query: string[]): Range[] {
  const ranges: Range[] = [];
  for (const part of list.querySelectorAll('.words, .row-line .by')) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      for (const [from, to] of matchRanges(text.textContent ?? '', query)) {
        const range = new Range();
        range.setStart(text, from);
        range.setEnd(text, to);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
