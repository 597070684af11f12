import { type ClipboardEvent, type DragEvent, useEffect, useState } from 'react';
import { useMessages } from '../desk/messages.tsx';
import type { EditorStore } from '../editor/editor.ts';
import { filesIn } from '../editor/typing.ts';

/**
 * Adds photos to an edited update. A file that is no photo becomes a refused one, so that nothing is lost unnoticed.
 */
export type PhotoAdding = {
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
