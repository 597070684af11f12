import { useEffect, useId, useRef, useState } from 'react';
import { type FormPhoto, formPhoto } from '../../lib/data/photo-form.ts';
import { readUsablePhotos } from '../../lib/data/photo-library.ts';
import { type DeskPhoto, deskPhotoPath, PHOTO_WIDTHS } from '../../lib/domain/photos.ts';
import { type Refusal, sentenceOf } from '../../lib/i18n/refusals.ts';
import { CloseButton, Panel } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { useMessages } from '../desk/messages.tsx';
import { refusalOf } from '../desk/task.ts';
import { onEnter } from '../editor/typing.ts';

type Props = {
  desk: Pick<Desk, '$coverage' | 'photos' | 'backend'>;
  /** Ids of the update's photos. */
  chosen: string[];
  /** Whether photos cannot be added now. */
  isDisabled: boolean;
  pick(photo: FormPhoto): void;
};

/** Picker for photos of the coverage to add to the edited update. */
export function PhotoPicker(props: Props) {
  const messages = useMessages();
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  return (
    <search
      className="photo-picker"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        close();
      }}
    >
      <button
        ref={opener}
        type="button"
        className="quiet"
        aria-expanded={isOpen}
        onClick={() => (isOpen ? close() : setOpen(true))}
      >
        {messages.photoPicker.open}
      </button>
      {isOpen && (
        <Panel>
          <PhotoResults {...props} />
          <p className="actions">
            <CloseButton about={messages.photoPicker.title} onClose={close} />
          </p>
        </Panel>
      )}
    </search>
  );
}

type PhotoResultsState = { photos: DeskPhoto[]; more: boolean; isLoading: boolean; refusal?: Refusal };

function PhotoResults({ desk, chosen, isDisabled, pick }: Props) {
  const messages = useMessages();
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState({ words: '', after: undefined as string | undefined });
  const [results, setResults] = useState<PhotoResultsState>({ photos: [], more: false, isLoading: true });
  const [announcement, setAnnouncement] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const id = useId();

  useEffect(() => {
    let isCancelled = false;
    setResults(({ photos, more }) => ({ photos, more, isLoading: true }));
    const { id: coverage } = desk.$coverage.get();
    desk.backend
      .read((client) => readUsablePhotos(client, coverage, query.words, query.after))
      .then(
        ({ photos, more }) => {
          if (isCancelled) return;
          setResults((before) => ({
            photos: query.after ? [...before.photos, ...photos] : photos,
            more,
            isLoading: false,
          }));
        },
        (error) =>
          !isCancelled &&
          setResults((before) => ({ ...before, isLoading: false, refusal: refusalOf(error) })),
      );
    return () => {
      isCancelled = true;
    };
  }, [desk, query]);

  const find = (words: string, after?: string) => {
    // The status describes the new results instead of the last choice.
    setAnnouncement('');
    setQuery({ words, after });
  };
  const search = () => find(typed.trim());
  const choose = (photo: DeskPhoto) => {
    if (isDisabled) return;
    pick(formPhoto(photo));
    void desk.photos.expect([photo.id], [photo]);
    const alt = photo.alt ?? messages.photoPicker.noAlt;
    setAnnouncement(messages.photoPicker.chosen(chosen.length + 1, alt));
    // The pressed button disappears.
    field.current?.focus();
  };

  const offered = results.photos.filter((photo) => !chosen.includes(photo.id));
  const { isLoading, refusal, more, photos } = results;
  return (
    <>
      <p className="field">
        <label htmlFor={id}>{messages.photoPicker.search}</label>
        <input
          ref={field}
          id={id}
          type="search"
          dir="auto"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onEnter(search)}
        />
      </p>
      <button type="button" onClick={search}>
        {messages.photoPicker.find}
      </button>
      <p className="status" role="status">
        {announcement ||
          (isLoading
            ? messages.photoPicker.loading
            : !refusal &&
              (offered.length > 0
                ? messages.photoPicker.photoCount(offered.length)
                : messages.photoPicker.none))}
      </p>
      {refusal && <p className="refused">{sentenceOf(refusal, messages)}</p>}
      <ul className="photo-choice">
        {offered.map((photo) => (
          <li key={photo.id}>
            <button type="button" aria-disabled={isDisabled || undefined} onClick={() => choose(photo)}>
              <span className="photo-thumb">
                <img src={deskPhotoPath(photo.id, PHOTO_WIDTHS[0])} alt="" loading="lazy" decoding="async" />
              </span>
              <span dir="auto">{photo.alt ?? messages.photoPicker.noAlt}</span>
              {photo.credit && <small dir="auto">{photo.credit}</small>}
              <b>{messages.photoPicker.choose}</b>
            </button>
          </li>
        ))}
      </ul>
      {more && (
        <button type="button" className="quiet" onClick={() => find(query.words, photos.at(-1)?.id)}>
          {messages.photoPicker.more}
        </button>
      )}
    </>
  );
}
