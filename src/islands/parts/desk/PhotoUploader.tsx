import { useStore } from '@nanostores/react';
import { type ChangeEvent, useId, useRef, useState } from 'react';
import { LIMITS } from '../../../lib/limits.ts';
import { PHOTO_TYPES, type PhotoProblems } from '../../../lib/photos/form.ts';
import { deskPhotos as words } from '../../../lib/text/desk-photos.ts';
import type { Desk } from '../../stores/desk.ts';
import type { Editor } from '../../stores/editor.ts';
import type { FieldsProps } from './MoreFields.tsx';
import { PhotoCard } from './PhotoCard.tsx';
import { PhotoHoldUp } from './PhotoProgress.tsx';

type Props = Pick<FieldsProps, 'form' | 'problems' | 'isSending' | 'language'> & {
  desk: Desk;
  editor: Editor;
  /** What is wrong with each of them. */
  wrong: PhotoProblems;
};

/** The photos of an update: chosen here, sent by themselves from then on, each with its words. */
export function PhotoUploader({ desk, editor, form, problems, wrong, isSending, language }: Props) {
  const statuses = useStore(desk.photos.$photos);
  const isKept = useStore(desk.photos.$isKept);
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
    setSaid(words.added(files.length));
  };
  const takeAway = (index: number) => {
    const cards = list.current?.children;
    const next = cards?.[index + 1] ?? cards?.[index - 1];
    (next instanceof HTMLElement ? next : chooser.current)?.focus();
    const photo = photos[index];
    if (photo) editor.photos.takeAway(photo.id);
    setSaid(words.takenAway);
  };

  return (
    <section className={photos.length > 0 ? 'photos some' : 'photos'} aria-label={words.title}>
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
              reword={(part) => editor.photos.reword(photo.id, part)}
              move={(by) => editor.photos.move(photo.id, by)}
              takeAway={() => takeAway(index)}
            />
          ))}
        </ol>
      )}
      <PhotoHoldUp statuses={photos.map((photo) => statuses[photo.id])} />
      <label className="add-photos" htmlFor={id}>
        {words.add}
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
        {words.addHelp}
      </span>
      {problem && <strong className="problem">{problem}</strong>}
      {!isKept && <p className="status">{words.notKept}</p>}
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </section>
  );
}
