import { type ChangeEvent, type RefObject, useId, useRef, useState } from 'react';
import type { PhotoProblems } from '../../lib/data/photo-form.ts';
import { putBelow } from '../../lib/domain/body/edit.ts';
import { lineOfPhoto } from '../../lib/domain/body/source.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import { PHOTO_TYPES } from '../../lib/domain/photos.ts';
import { composer } from '../../lib/i18n/composer.ts';
import { deskPhotos as messages } from '../../lib/i18n/desk-photos.ts';
import type { Desk } from '../desk/desk.ts';
import { useShared } from '../desk/hooks.ts';
import type { Editor } from '../editor/editor.ts';
import type { FieldsProps } from '../editor/MoreFields.tsx';
import { selectionIn, typeInto } from '../editor/typing.ts';
import { PhotoCard, PhotoHoldUp } from './PhotoTray.tsx';

type Props = Pick<FieldsProps, 'form' | 'problems' | 'isSending' | 'language'> & {
  desk: Desk;
  editor: Editor;
  /** The field of the text, in which they may stand. */
  area: RefObject<HTMLTextAreaElement | null>;
  /** It is a place of the page by name; of several editors only the composer's is. */
  isHeaded: boolean;
  /** What is wrong with each of them. */
  wrong: PhotoProblems;
};

/** The photos of an update: chosen here, sent by themselves from then on, each with its words. */
export function PhotoUploader({ desk, editor, area, isHeaded, wrong, ...fields }: Props) {
  const { form, problems, isSending, language } = fields;
  const statuses = useShared(desk.photos.$photos);
  const isKept = useShared(desk.photos.$isKept);
  const [said, setSaid] = useState('');
  const id = useId();
  const chooser = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const { photos } = form;
  const problem = problems.photos;

  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.target.files ?? [])];
    // The same file may be chosen again.
    event.target.value = '';
    if (isSending || files.length === 0) return;
    editor.photos.add(files);
    setSaid(messages.added(files.length));
  };
  const takeAway = (index: number) => {
    const cards = list.current?.children;
    const next = cards?.[index + 1] ?? cards?.[index - 1];
    (next instanceof HTMLElement ? next : chooser.current)?.focus();
    const photo = photos[index];
    if (photo) editor.photos.remove(photo.id);
    setSaid(messages.takenAway);
  };

  const placeOf = (index: number) => {
    if (lineOfPhoto(form.body, index)) return 'in' as const;
    return form.body.trim() ? ('after' as const) : null;
  };
  const putIn = (index: number) => {
    const line = composer.photoLine(index + 1);
    if (area.current) typeInto(area.current, putBelow(selectionIn(area.current), line));
    setSaid(composer.photoPlaces.moved(line));
  };
  const putAfter = (index: number) => {
    const at = lineOfPhoto(form.body, index);
    if (area.current && at) typeInto(area.current, { ...at, put: '', choose: [at.from, at.from] });
    setSaid(composer.photoPlaces.after);
  };

  return (
    <section
      className={photos.length > 0 ? 'photos some' : 'photos'}
      aria-label={isHeaded ? messages.title : undefined}
    >
      {photos.length > 0 && (
        <ol ref={list}>
          {photos.map((photo, index) => (
            <PhotoCard
              key={photo.id}
              photo={photo}
              status={statuses[photo.id]}
              index={index}
              count={photos.length}
              problem={wrong[photo.id]}
              isSending={isSending}
              language={language}
              reword={(part) => editor.photos.changeText(photo.id, part)}
              move={(by) => editor.photos.move(photo.id, by)}
              takeAway={() => takeAway(index)}
              place={placeOf(index)}
              putIn={() => putIn(index)}
              putAfter={() => putAfter(index)}
            />
          ))}
        </ol>
      )}
      <PhotoHoldUp statuses={photos.map((photo) => statuses[photo.id])} />
      <label className="add-photos" htmlFor={id}>
        {messages.add}
        <input
          ref={chooser}
          id={id}
          className="visually-hidden"
          type="file"
          accept={PHOTO_TYPES.join()}
          multiple
          aria-describedby={`${id}-help`}
          disabled={photos.length >= LIMITS.body_blocks}
          onChange={choose}
        />
      </label>
      <span className={photos.length > 0 ? 'help' : 'visually-hidden'} id={`${id}-help`}>
        {messages.addHelp}
      </span>
      {problem && <strong className="problem">{problem}</strong>}
      {!isKept && <p className="status">{messages.notKept}</p>}
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </section>
  );
}
