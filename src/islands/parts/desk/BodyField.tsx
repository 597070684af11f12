import type { Body } from '../../../lib/body/blocks.ts';
import { bodyText } from '../../../lib/body/text.ts';
import { characters } from '../../../lib/desk/form.ts';
import { LIMITS } from '../../../lib/limits.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { Field } from './Field.tsx';
import type { FieldsProps } from './MoreFields.tsx';

type Props = FieldsProps & {
  /** The body as it is read from the form. */
  body: Body;
  /** A heading above says what this is. */
  isHeaded: boolean;
};

/** The words themselves, and how many they are. */
export function BodyField({ form, body, problems, isHeaded, isSending, language, change }: Props) {
  const length = characters(bodyText(body));
  return (
    <>
      <Field label={words.composer.body} problem={problems.body} isHeaded={isHeaded}>
        {(control) => (
          <textarea
            {...control}
            name="body"
            rows={3}
            lang={language}
            dir="auto"
            readOnly={isSending}
            value={form.body}
            onChange={(event) => change({ body: event.target.value })}
          />
        )}
      </Field>
      {length > 0 && <p className="help count">{words.composer.count(length, LIMITS.body_characters)}</p>}
    </>
  );
}
