import { type ClipboardEvent, type RefObject, useEffect } from 'react';
import type { Body } from '../../../lib/body/blocks.ts';
import { nextLine } from '../../../lib/body/edit.ts';
import { bodyText } from '../../../lib/body/text.ts';
import { characters } from '../../../lib/desk/form.ts';
import { LIMITS } from '../../../lib/limits.ts';
import { composer } from '../../../lib/text/composer.ts';
import { pasted } from '../../browser/pasting.ts';
import { growToFit, selectionIn, typeInto } from '../../browser/typing.ts';
import { Field } from './Field.tsx';
import type { FieldsProps } from './MoreFields.tsx';

type Props = FieldsProps & {
  area: RefObject<HTMLTextAreaElement | null>;
  /** The body that the form's text describes. */
  body: Body;
  /** Whether a heading above names the field. */
  isHeaded: boolean;
  addPhotos(files: File[]): void;
};

/** Text of the update with its character count. */
export function BodyField({ area, form, body, problems, isHeaded, isSending, language, ...handlers }: Props) {
  const length = characters(bodyText(body));
  useEffect(() => {
    if (area.current && form.body !== undefined) growToFit(area.current);
  }, [area, form.body]);
  useEffect(() => continueLists(area.current), [area]);

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pastedContent = isSending ? null : pasted(event.clipboardData, selectionIn(event.currentTarget));
    if (!pastedContent) return;
    event.preventDefault();
    if ('edit' in pastedContent) typeInto(event.currentTarget, pastedContent.edit);
    else handlers.addPhotos(pastedContent.pictures);
  };
  return (
    <>
      <Field label={composer.body} problem={problems.body} isHeaded={isHeaded}>
        {(control) => (
          <textarea
            {...control}
            ref={area}
            name="body"
            rows={3}
            lang={language}
            dir="auto"
            readOnly={isSending}
            value={form.body}
            onChange={(event) => handlers.change({ body: event.target.value })}
            onPaste={onPaste}
          />
        )}
      </Field>
      {length > 0 && <p className="help count">{composer.count(length, LIMITS.body_characters)}</p>}
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
