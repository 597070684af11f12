import type { UpdateForm } from '../../../lib/desk/form.ts';
import type { DeskByline } from '../../../lib/desk/update.ts';
import { composer } from '../../../lib/text/composer.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { listed } from '../../../lib/text/plural.ts';

type Props = { form: UpdateForm; names: ReadonlyMap<string, DeskByline>; language: string };

/** Values of the collapsed fields, so that nothing is published unseen. */
export function FilledFields({ form, names, language }: Props) {
  const parts = filledParts(form, names);
  if (parts.length === 0) return null;
  return (
    <ul className="filled">
      {parts.map(({ field, text }) => (
        <li key={field} lang={field === 'headline' ? language : undefined}>
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}

function filledParts(form: UpdateForm, names: ReadonlyMap<string, DeskByline>) {
  const { filled } = composer;
  const by = form.bylines.map((id) => names.get(id)?.display_name ?? composer.bylines.unknown);
  const parts = [
    { field: 'headline', text: form.headline.trim() && filled.headline(form.headline.trim()) },
    { field: 'key_event', text: form.key_event && composer.key_event },
    { field: 'urgency', text: form.urgency !== 'normal' && messages.urgencies[form.urgency] },
    {
      field: 'verification',
      text: form.verification !== 'confirmed' && composer.verifications[form.verification],
    },
    { field: 'attribution', text: form.attribution.trim() && filled.source(form.attribution.trim()) },
    { field: 'dateline', text: form.dateline.trim() },
    {
      field: 'occurred_at',
      text: form.occurred_at && filled.happened(form.occurred_at.replace('T', ' ')),
    },
    { field: 'bylines', text: by.length > 0 && filled.by(listed(by)) },
    { field: 'desk_note', text: form.desk_note.trim() && filled.desk_note(form.desk_note.trim()) },
  ];
  return parts.flatMap(({ field, text }) => (text ? [{ field, text }] : []));
}
