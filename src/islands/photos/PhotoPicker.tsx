import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { type FormPhoto, formPhoto } from '../../lib/data/photo-form.ts';
import { type DeskPhoto, deskPhotoPath, PHOTO_WIDTHS } from '../../lib/domain/photos.ts';
import { photoLibrary } from '../../lib/i18n/photo-library.ts';
import type { Refusal } from '../../lib/i18n/refusals.ts';
import { CloseButton, Panel } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { refusalOf } from '../desk/task.ts';

type Props = {
  desk: Desk;
  /** The ids of those that the update has already. */
  chosen: string[];
  /** Nothing can be put in now. */
  isOff: boolean;
  pick(photo: FormPhoto): void;
};

/** Photos of the coverage that are at the desk already, to be put into the update that is being written. */
export function PhotoPicker(props: Props) {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const messages = photoLibrary.picker;
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
        {messages.open}
      </button>
      {isOpen && (
        <Panel>
          <Found {...props} />
          <p className="actions">
            <CloseButton about={messages.title} onClose={close} />
          </p>
        </Panel>
      )}
    </search>
  );
}

type Looking = { photos: DeskPhoto[]; more: boolean; isLooking: boolean; refusal?: Refusal };

function Found({ desk, chosen, isOff, pick }: Props) {
  const messages = photoLibrary.picker;
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState({ words: '', after: undefined as string | undefined });
  const [found, setFound] = useState<Looking>({ photos: [], more: false, isLooking: true });
  const [said, setSaid] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const id = useId();

  useEffect(() => {
    let isOver = false;
    setFound(({ photos, more }) => ({ photos, more, isLooking: true }));
    desk.usablePhotos(asked.words, asked.after).then(
      ({ photos, more }) => {
        if (isOver) return;
        setFound((before) => ({
          photos: asked.after ? [...before.photos, ...photos] : photos,
          more,
          isLooking: false,
        }));
      },
      (error) =>
        !isOver && setFound((before) => ({ ...before, isLooking: false, refusal: refusalOf(error) })),
    );
    return () => {
      isOver = true;
    };
  }, [desk, asked]);

  const look = () => setAsked({ words: typed.trim(), after: undefined });
  // It stands in the form of the update, which must not be sent by this.
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    look();
  };
  const choose = (photo: DeskPhoto) => {
    if (isOff) return;
    pick(formPhoto(photo));
    void desk.photos.expect([photo.id], [photo]);
    setSaid(messages.chosen);
    // The button that was pressed is gone.
    field.current?.focus();
  };

  const offered = found.photos.filter((photo) => !chosen.includes(photo.id));
  const { isLooking, refusal, more, photos } = found;
  return (
    <>
      <p className="field">
        <label htmlFor={id}>{messages.search}</label>
        <input
          ref={field}
          id={id}
          type="search"
          dir="auto"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onEnter}
        />
      </p>
      <button type="button" onClick={look}>
        {photoLibrary.find}
      </button>
      <p className="status" role="status">
        {said ||
          (isLooking
            ? messages.loading
            : !refusal && (offered.length > 0 ? messages.found(offered.length) : messages.none))}
      </p>
      {refusal && <p className="refused">{refusal.sentence}</p>}
      <ul className="photo-choice">
        {offered.map((photo) => (
          <li key={photo.id}>
            <button type="button" aria-disabled={isOff || undefined} onClick={() => choose(photo)}>
              <span className="photo-thumb">
                <img src={deskPhotoPath(photo.id, PHOTO_WIDTHS[0])} alt="" loading="lazy" decoding="async" />
              </span>
              <span dir="auto">{photo.alt ?? photoLibrary.noAlt}</span>
              {photo.credit && <small dir="auto">{photo.credit}</small>}
              <b>{messages.choose}</b>
            </button>
          </li>
        ))}
      </ul>
      {more && (
        <button
          type="button"
          className="quiet"
          onClick={() => setAsked({ words: asked.words, after: photos.at(-1)?.id })}
        >
          {messages.more}
        </button>
      )}
    </>
  );
}
