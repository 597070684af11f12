import { useState } from 'react';
import type { Body } from '../../lib/domain/body/blocks.ts';
import { utcFromLocal } from '../../lib/domain/local-time.ts';
import type { DeskByline, ReaderUpdate } from '../../lib/domain/updates.ts';
import { directionOf } from '../../lib/i18n/language.ts';
import type { Desk } from '../desk/desk.ts';
import { messagesIn, useMessages } from '../desk/messages.tsx';
import type { EditedUpdate } from '../outbox/entries.ts';
import { PhotoPreview } from '../photos/PhotoTray.tsx';
import { useShared } from '../shared/use-shared.ts';
import { UpdateArticle } from '../update/UpdateArticle.tsx';

type Props = {
  desk: Pick<Desk, '$coverage' | 'photos'>;
  edited: EditedUpdate;
  body: Body;
  names: ReadonlyMap<string, DeskByline>;
};

/** The update as readers will see it in the list, in the coverage's language. */
export function Preview({ desk, edited, body, names }: Props) {
  const messages = useMessages();
  const coverage = useShared(desk.$coverage);
  const [open, setOpen] = useState(false);
  const number = edited.before?.number ?? coverage.update_count + 1;
  return (
    <details className="preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{messages.composer.preview}</summary>
      {open && (
        <div lang={coverage.language} dir={directionOf(coverage.language)}>
          <UpdateArticle
            messages={messagesIn(messages, coverage.language).reader}
            update={asPublished(edited, body, number, coverage.time_zone, names)}
            href={`/live/${coverage.slug}/${number}`}
            timeZone={coverage.time_zone}
            language={coverage.language}
            atDesk
            photo={(id) => (
              <PhotoPreview photos={desk.photos} photo={edited.form.photos.find((one) => one.id === id)} />
            )}
          />
        </div>
      )}
    </details>
  );
}

function asPublished(
  { id, form, before }: EditedUpdate,
  body: Body,
  number: number,
  timeZone: string,
  names: ReadonlyMap<string, DeskByline>,
): ReaderUpdate {
  // The author is the first name.
  const self = before ? before.bylines : [...names.values()].slice(0, 1);
  const chosen = form.bylines.flatMap((id) => names.get(id) ?? []);
  return {
    id,
    number,
    state: 'published',
    headline: form.headline.trim() || null,
    body,
    key_event: form.key_event,
    urgency: form.urgency,
    verification: form.verification,
    attribution: form.attribution.trim() || null,
    dateline: form.dateline.trim() || null,
    occurred_at: utcFromLocal(form.occurred_at, timeZone),
    published_at: before?.published_at ?? new Date().toISOString(),
    revised_at: null,
    corrected_at: null,
    withdrawn_at: null,
    withdrawn_reason: null,
    version: 1,
    seq: 0,
    bylines: chosen.length > 0 ? chosen : self,
    notes: [],
    photos: [],
  };
}
