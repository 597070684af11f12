import {
  type ChangeEvent,
  type ClipboardEvent,
  type DragEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import type { PhotoProblems } from '../../lib/data/photo-form.ts';
import { insertBelow } from '../../lib/domain/body/edit.ts';
import { photoMarkerRange } from '../../lib/domain/body/photo-markers.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import { PHOTO_TYPES } from '../../lib/domain/photos.ts';
import { useMessages } from '../desk/messages.tsx';
import type { EditorStore } from '../editor/editor.ts';
import type { FieldsProps } from '../editor/MoreFields.tsx';
import { filesIn, selectionIn, typeInto } from '../editor/typing.ts';
import { useShared } from '../shared/use-shared.ts';
import { PhotoCard, PhotoPauseNote } from './PhotoTray.tsx';
import type { Photos } from './photos.ts';

/**
 * Adds photos to an edited update. A file that is no photo becomes a refused one, so that nothing is lost unnoticed.
 */
type PhotoAdding = {
  add(files: readonly File[]): void;
  /** The last change of the update's photos, to announce. */
  announcement: string;
  announce(message: string): void;
  /** Whether files are being dragged over the form. */
  isDropTarget: boolean;
  /** Handlers of the form on which files are pasted or dropped. */
  handlers: {
    onPaste(event: ClipboardEvent): void;
    onDragOver(event: DragEvent): void;
    onDragLeave(event: DragEvent<HTMLElement>): void;
    onDrop(event: DragEvent): void;
  };
};

/** @param isReadOnly whether the update cannot be changed now */
export function usePhotoAdding(editor: EditorStore, isReadOnly: boolean): PhotoAdding {
  const messages = useMessages();
  const [announcement, announce] = useState('');
  const [isDropTarget, setDropTarget] = useState(false);
  useEffect(ignoreFilesBeside, []);

  const add = (files: readonly File[]) => {
    if (isReadOnly || files.length === 0) return;
    editor.photos.add(files);
    announce(messages.deskPhotos.added(files.length));
  };
  return {
    add,
    announcement,
    announce,
    isDropTarget,
    handlers: {
      onPaste(event) {
        // The text field has inserted text.
        if (event.defaultPrevented) return;
        const files = filesIn(event.clipboardData);
        if (files.length === 0) return;
        event.preventDefault();
        add(files);
      },
      onDragOver(event) {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setDropTarget(!isReadOnly);
      },
      onDragLeave({ currentTarget, relatedTarget }) {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setDropTarget(false);
      },
      onDrop(event) {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setDropTarget(false);
        add([...event.dataTransfer.files]);
      },
    },
  };
}

const hasFiles = ({ dataTransfer }: { dataTransfer: DataTransfer | null }) =>
  dataTransfer?.types.includes('Files') ?? false;

/** The browser would leave the page and open a file that is dropped beside the form. */
function ignoreFilesBeside(): () => void {
  const ignore = (event: globalThis.DragEvent) => {
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  };
  addEventListener('dragover', ignore);
  addEventListener('drop', ignore);
  return () => {
    removeEventListener('dragover', ignore);
    removeEventListener('drop', ignore);
  };
}

type Props = Pick<FieldsProps, 'form' | 'problems' | 'isReadOnly' | 'language'> & {
  photos: Photos;
  editor: EditorStore;
  adding: PhotoAdding;
  /** The text field, which may contain photo markers. */
  area: RefObject<HTMLTextAreaElement | null>;
  /** Whether the section has a name. Only the composer's has, because several editors may be open. */
  isHeaded: boolean;
  /** Problems by photo id. */
  photoProblems: PhotoProblems;
};

/** Photos of an update with their text. A chosen photo is uploaded at once. */
export function PhotoUploader({
  photos: uploads,
  editor,
  adding,
  area,
  isHeaded,
  photoProblems,
  ...fields
}: Props) {
  const messages = useMessages();
  const { form, problems, isReadOnly, language } = fields;
  const statuses = useShared(uploads.$photos);
  const isStored = useShared(uploads.$isStored);
  const id = useId();
  const fileInput = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const { photos } = form;
  const problem = problems.photos;

  const addFiles = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.target.files ?? [])];
    // Allows choosing the same file again.
    event.target.value = '';
    adding.add(files);
  };
  const remove = (index: number) => {
    const cards = list.current?.children;
    const next = cards?.[index + 1] ?? cards?.[index - 1];
    (next instanceof HTMLElement ? next : fileInput.current)?.focus();
    const photo = photos[index];
    if (photo) editor.photos.remove(photo.id);
    adding.announce(messages.deskPhotos.fileRemoved);
  };

  const markerPositionOf = (index: number) => {
    if (photoMarkerRange(form.body, index)) return 'in' as const;
    return form.body.trim() ? ('after' as const) : null;
  };
  const insertMarker = (index: number) => {
    const line = messages.composer.photoLine(index + 1);
    if (area.current) typeInto(area.current, insertBelow(selectionIn(area.current), line));
    adding.announce(messages.composer.photoPlaces.moved(line));
  };
  const removeMarker = (index: number) => {
    const at = photoMarkerRange(form.body, index);
    if (area.current && at) typeInto(area.current, { ...at, insert: '', selection: [at.from, at.from] });
    adding.announce(messages.composer.photoPlaces.after);
  };

  return (
    <section
      className={photos.length > 0 ? 'photos some' : 'photos'}
      aria-label={isHeaded ? messages.deskPhotos.title : undefined}
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
              problem={photoProblems[photo.id]}
              isReadOnly={isReadOnly}
              language={language}
              changeText={(part) => editor.photos.changeText(photo.id, part)}
              move={(by) => editor.photos.move(photo.id, by)}
              remove={() => remove(index)}
              markerPosition={markerPositionOf(index)}
              insertMarker={() => insertMarker(index)}
              removeMarker={() => removeMarker(index)}
            />
          ))}
        </ol>
      )}
      <PhotoPauseNote statuses={photos.map((photo) => statuses[photo.id])} />
      <label className="add-photos" htmlFor={id}>
        {messages.deskPhotos.add}
        <input
          ref={fileInput}
          id={id}
          className="visually-hidden"
          type="file"
          accept={PHOTO_TYPES.join()}
          multiple
          aria-describedby={`${id}-help`}
          disabled={photos.length >= LIMITS.body_blocks}
          onChange={addFiles}
        />
      </label>
      <span className={photos.length > 0 ? 'help' : 'visually-hidden'} id={`${id}-help`}>
        {messages.deskPhotos.addHelp}
      </span>
      {problem && <strong className="problem">{problem}</strong>}
      {!isStored && <p className="status">{messages.deskPhotos.notKept}</p>}
      <p className="visually-hidden" role="status">
        {adding.announcement}
      </p>
    </section>
  );
}
