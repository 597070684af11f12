import { useMessages } from '../desk/messages.tsx';
import { Field } from '../shared/Field.tsx';
import type { FieldsProps } from './MoreFields.tsx';

/** The headline, above the text. */
export function HeadlineField({ form, problems, isReadOnly, language, change }: FieldsProps) {
  const messages = useMessages();
  return (
    <div className="headline-field">
      <Field label={messages.composer.headline} problem={problems.headline}>
        {(control) => (
          <input
            {...control}
            name="headline"
            lang={language}
            dir="auto"
            readOnly={isReadOnly}
            placeholder={messages.composer.headlineHelp}
            value={form.headline}
            onChange={(event) => change({ headline: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

type QuickFieldsProps = FieldsProps & {
  /** Only editors set the urgency `urgent`. */
  mayBeUrgent: boolean;
};

/** Choices that are one press away from the text. */
export function QuickFields({ form, isReadOnly, mayBeUrgent, change }: QuickFieldsProps) {
  const messages = useMessages();
  const isUrgent = form.urgency === 'urgent';
  return (
    <div className="quick-fields">
      <label>
        <input
          type="checkbox"
          name="key_event"
          checked={form.key_event}
          disabled={isReadOnly}
          onChange={(event) => change({ key_event: event.target.checked })}
        />{' '}
        {messages.composer.key_event}
      </label>
      {(mayBeUrgent || isUrgent) && (
        <label>
          <input
            type="checkbox"
            name="urgent"
            checked={isUrgent}
            disabled={isReadOnly}
            onChange={(event) => change({ urgency: event.target.checked ? 'urgent' : 'normal' })}
          />{' '}
          {messages.desk.urgencies.urgent}
        </label>
      )}
    </div>
  );
}
