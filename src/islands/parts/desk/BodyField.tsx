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
  /** The body as it is read from the form. */
  body: Body;
  /** A heading above says what this is. */
  isHeaded: boolean;
  addPhotos(files: File[]): void;
};

/** The words themselves, and how many they are. */
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

/** Whatever keyboard Enter comes from, and not while a word is being put together. */
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
