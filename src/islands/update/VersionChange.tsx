import type { ReactNode } from 'react';
import { type Clock, dayAndTime } from '../../lib/domain/time.ts';
import { type ComparedField, changedFields, type VersionContent } from '../../lib/domain/versions.ts';
import { messagesLang } from '../../lib/i18n/language.ts';
import { formatList } from '../../lib/i18n/plural.ts';
import { type DeskMessages, MessagesContext, useMessages } from '../desk/messages.tsx';
import { Difference, TextDifference } from '../editor/Difference.tsx';

type Props = {
  before: VersionContent;
  after: VersionContent;
  clock: Clock;
  /** Describes a photo. */
  photo?: (id: string) => ReactNode;
};

/** Differences between two versions of an update, without unchanged parts. */
export function VersionChange({ before, after, clock, photo }: Props) {
  const messages = useMessages();
  const { language } = clock;
  const fields = changedFields(before, after);
  const headlines = before.headline !== after.headline;
  const bodies = JSON.stringify(before.body) !== JSON.stringify(after.body);
  if (!headlines && !bodies && fields.length === 0)
    return <p lang={messagesLang(language, messages.language)}>{messages.corrections.history.same}</p>;
  return (
    <>
      {headlines && (
        <p className="headline">
          <TextDifference before={before.headline ?? ''} after={after.headline ?? ''} language={language} />
        </p>
      )}
      {bodies && (
        <Difference
          before={before.body}
          after={after.body}
          language={language}
          timeZone={clock.timeZone}
          photo={photo}
          brief
        />
      )}
      {fields.map((field) => (
        <p key={field} className="field-change">
          <b lang={messagesLang(language, messages.language)}>{messages.corrections.fields[field]}:</b>{' '}
          <TextDifference
            before={fieldText(messages, before, field, clock)}
            after={fieldText(messages, after, field, clock)}
            language={language}
          />
        </p>
      ))}
    </>
  );
}

/** Differences between two versions outside of the desk's islands. */
export function PublicVersionChange({ messages, ...props }: Props & { messages: DeskMessages }) {
  return (
    <MessagesContext value={messages}>
      <VersionChange {...props} />
    </MessagesContext>
  );
}

/** Text of a field; empty when it has no value. */
function fieldText(
  messages: DeskMessages,
  version: VersionContent,
  field: ComparedField,
  clock: Clock,
): string {
  switch (field) {
    case 'bylines':
      return formatList(version.bylines, messages.language);
    case 'occurred_at':
      return version.occurred_at ? dayAndTime(version.occurred_at, clock) : '';
    case 'key_event':
      return version.key_event ? messages.corrections.yes : messages.corrections.no;
    case 'urgency':
      return messages.corrections.urgencies[version.urgency];
    case 'verification':
      return messages.corrections.verifications[version.verification];
    default:
      return version[field] ?? '';
  }
}
