import { useStore } from '@nanostores/react';
import { useState } from 'react';
import type { Body } from '../../../lib/body/blocks.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { ReaderUpdate } from '../../../lib/updates/update.ts';
import type { Desk } from '../../stores/desk.ts';
import type { Work } from '../../stores/editor.ts';
import { UpdateArticle } from '../UpdateArticle.tsx';
import { PhotoPreview } from './PhotoPreview.tsx';

type Props = { desk: Desk; work: Work; body: Body };

/** The update as readers will see it, by their own renderer. */
export function Preview({ desk, work, body }: Props) {
  const coverage = useStore(desk.$coverage);
  const [open, setOpen] = useState(false);
  const number = work.before?.number ?? coverage.update_count + 1;
  return (
    <details className="preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.composer.preview}</summary>
      {open && (
        <UpdateArticle
          update={asPublished(work, body, number, desk)}
          href={`/live/${coverage.slug}/${number}`}
          timeZone={coverage.time_zone}
          language={coverage.language}
          photo={(id) => <PhotoPreview desk={desk} photo={work.form.photos.find((one) => one.id === id)} />}
          whole
        />
      )}
    </details>
  );
}

function asPublished({ id, form, before }: Work, body: Body, number: number, { person }: Desk): ReaderUpdate {
  return {
    id,
    number,
    state: 'published',
    headline: form.headline.trim() || null,
    body,
    key_event: form.key_event,
    urgency: form.urgency,
    verification: before?.verification ?? 'confirmed',
    attribution: form.attribution.trim() || null,
    dateline: form.dateline.trim() || null,
    occurred_at: before?.occurred_at ?? null,
    published_at: before?.published_at ?? new Date().toISOString(),
    revised_at: null,
    corrected_at: null,
    withdrawn_at: null,
    withdrawn_reason: null,
    version: 1,
    seq: 0,
    bylines: before?.bylines ?? [person],
    notes: [],
    photos: [],
  };
}
