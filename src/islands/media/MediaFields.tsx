import { type ChangeEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { oneLine, shorten } from '../../lib/domain/body/blocks.ts';
import { insertBelow } from '../../lib/domain/body/edit.ts';
import { writeBody } from '../../lib/domain/body/write-source.ts';
import type { ErrorCode } from '../../lib/domain/errors.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import {
  formatOfFile,
  kindOfFormat,
  MAX_MEDIA_BYTES,
  MEDIA_TYPES,
  mediaSeconds,
} from '../../lib/domain/media-files.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
import type { Desk } from '../desk/desk.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { refusalOf } from '../desk/task.ts';
import type { EditorStore } from '../editor/editor.ts';
import { selectionIn, typeInto } from '../editor/typing.ts';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { sendMedia, type UploadStep } from './send-media.ts';

export type MediaFieldProps = {
  desk: Pick<Desk, 'backend' | '$coverage'>;
  editor: EditorStore;
  /** The text field that receives the file. */
  area: RefObject<HTMLTextAreaElement | null>;
  isReadOnly: boolean;
  /** Language of the coverage. */
  language: string;
};

type Status =
  | UploadStep
  | { step: 'empty' | 'cancelled' }
  | { step: 'ready'; path: string; still: Blob | undefined }
  | { step: 'refused'; sentence: string }
  | { step: 'added'; title: string };

type Typed = { title: string; description: string };
type Problems = Partial<Typed>;

const BLANK: Typed = { title: '', description: '' };

/**
 * Uploads a chosen file at once, and inserts it into the text when it has arrived and is described. Text can be published
 * meanwhile: the file is not in it yet.
 */
export function MediaFields({ desk, editor, area, isReadOnly, language }: MediaFieldProps) {
  const all = useMessages();
  const messages = all.composer.media;
  const coverage = useShared(desk.$coverage);
  const [status, setStatus] = useState<Status>({ step: 'empty' });
  const [typed, setTyped] = useState(BLANK);
  const [problems, setProblems] = useState<Problems>({});
  const fields = { title: useRef<HTMLInputElement>(null), description: useRef<HTMLTextAreaElement>(null) };
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const isRunning = ['sending', 'waiting', 'checking'].includes(status.step);
  const change = (part: Problems) => {
    setTyped((before) => ({ ...before, ...part }));
    setProblems({});
  };
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? [];
    // Allows choosing the same file again.
    event.target.value = '';
    if (file && !isRunning) void start(file);
  };

  async function start(file: File): Promise<void> {
    const format = formatOfFile(file);
    if (!format) return setStatus({ step: 'refused', sentence: messages.unsupported });
    if (file.size > MAX_MEDIA_BYTES) return setStatus({ step: 'refused', sentence: messages.tooLarge });
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    const show = (next: Status) => {
      if (!signal.aborted) setStatus(next);
    };
    setTyped((before) => ({ ...before, title: before.title || titleOf(file) }));
    show({ step: 'sending', percent: 0 });
    try {
      const { seconds, still } = await readMedia(file, kindOfFormat(format));
      const { backend } = desk;
      const path = await sendMedia({ file, format, seconds, coverage: coverage.id, backend, signal, show });
      show({ step: 'ready', path, still });
    } catch (error) {
      if (signal.aborted) return;
      const refusal = refusalOf(error);
      show({
        step: 'refused',
        sentence: FILE_SENTENCES[refusal.code]?.(messages) ?? sentenceOf(refusal, all),
      });
    }
  }

  const cancel = () => {
    running.current?.abort();
    setStatus({ step: 'cancelled' });
  };
  const add = () => {
    if (isReadOnly || status.step !== 'ready' || !area.current) return;
    const title = shorten(oneLine(typed.title), LIMITS.link_title);
    const description = typed.description.trim();
    if (!title || !description) {
      setProblems({
        ...(!title && { title: messages.nameMissing }),
        ...(!description && { description: messages.descriptionMissing }),
      });
      fields[title ? 'description' : 'title'].current?.focus();
      return;
    }
    const lines = [writeBody([{ type: 'media', url: status.path, title, description }])];
    const poster = status.still && addPoster(editor, status.still, messages.still(title));
    if (poster) lines.unshift(all.composer.photoLine(poster));
    typeInto(area.current, insertBelow(selectionIn(area.current), lines.join('\n\n')));
    setTyped(BLANK);
    setStatus({ step: 'added', title });
  };

  return (
    <>
      <Field
        label={messages.file}
        help={messages.fileHelp}
        problem={status.step === 'refused' ? status.sentence : undefined}
      >
        {(control) => (
          <input
            {...control}
            type="file"
            accept={MEDIA_TYPES.join()}
            disabled={isReadOnly || isRunning}
            onChange={choose}
          />
        )}
      </Field>
      <p className="status" role="status">
        {statusLine(messages, status)}
      </p>
      {isRunning && (
        <progress max={100} value={'percent' in status ? status.percent : 100} aria-label={messages.title} />
      )}
      <Field label={messages.name} problem={problems.title}>
        {(control) => (
          <input
            {...control}
            ref={fields.title}
            lang={language}
            dir="auto"
            autoComplete="off"
            readOnly={isReadOnly}
            value={typed.title}
            onChange={(event) => change({ title: event.target.value })}
          />
        )}
      </Field>
      <Field label={messages.description} help={messages.descriptionHelp} problem={problems.description}>
        {(control) => (
          <textarea
            {...control}
            ref={fields.description}
            rows={3}
            lang={language}
            dir="auto"
            readOnly={isReadOnly}
            value={typed.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      <p className="actions">
        <button
          type="button"
          aria-disabled={isReadOnly || status.step !== 'ready' || undefined}
          onClick={add}
        >
          {messages.add}
        </button>
        {isRunning && (
          <button type="button" className="quiet" onClick={cancel}>
            {messages.cancel}
          </button>
        )}
      </p>
    </>
  );
}

type MediaMessages = DeskMessages['composer']['media'];

/** Sentences of refusals that say something else about other things. */
const FILE_SENTENCES: Partial<Record<ErrorCode, (messages: MediaMessages) => string>> = {
  unsupported_media: ({ unsupported }) => unsupported,
  too_large: ({ tooLarge }) => tooLarge,
};

function statusLine(messages: MediaMessages, status: Status): string {
  switch (status.step) {
    case 'sending':
      return messages.sending(status.percent);
    case 'waiting':
      return status.isSignedOut ? messages.signedOut : messages.waiting(status.percent);
    case 'checking':
      return messages.checking;
    case 'ready':
      return messages.ready;
    case 'cancelled':
      return messages.cancelled;
    case 'added':
      return messages.added(status.title);
    case 'empty':
    case 'refused':
      return '';
  }
}

/** The name of a file without its ending. */
const titleOf = ({ name }: File) =>
  shorten(
    name
      .replace(/\.\w{2,4}$/, '')
      .replace(/[_\s]+/g, ' ')
      .trim(),
    LIMITS.link_title,
  );

/**
 * Adds the picture of a video as a photo of the update.
 * @returns its position in the update, from 1; undefined if the update has no room
 */
function addPoster(editor: EditorStore, still: Blob, alt: string): number | undefined {
  const photos = () => editor.$edited.get().form.photos;
  const index = photos().length;
  if (index >= LIMITS.body_blocks) return undefined;
  editor.photos.add([still]);
  const photo = photos()[index];
  if (!photo) return undefined;
  editor.photos.changeText(photo.id, { alt: shorten(alt, LIMITS.alt) });
  return index + 1;
}

/** What the browser reads from a file: its length in seconds, and a picture of a video. */
type MediaContent = { seconds: number | null; still?: Blob | undefined };

/** Time limit of a step, in milliseconds. Some browsers report nothing about files that they cannot play. */
const TIMEOUT_MS = 10_000;
/** Time of the picture in the video, in seconds. The first frame is often black. */
const STILL_AT = 1;
/** Maximum width of the picture in pixels: that of the largest rendition of a photo. */
const STILL_WIDTH = 1600;
const STILL_QUALITY = 0.85;

/** Reads a video or audio file. A file that the browser cannot play has no length and no picture. */
async function readMedia(file: Blob, kind: 'video' | 'audio'): Promise<MediaContent> {
  const element = document.createElement(kind);
  const url = URL.createObjectURL(file);
  try {
    element.preload = 'auto';
    element.muted = true;
    await eventAfter(element, 'loadeddata', () => {
      element.src = url;
    });
    const seconds = mediaSeconds(element.duration);
    const still =
      element instanceof HTMLVideoElement ? await stillOf(element).catch(() => undefined) : undefined;
    return { seconds, still };
  } catch {
    return { seconds: null };
  } finally {
    element.removeAttribute('src');
    element.load();
    URL.revokeObjectURL(url);
  }
}

async function stillOf(video: HTMLVideoElement): Promise<Blob | undefined> {
  // A recording without a length cannot be searched. Its first frame is shown already.
  if (Number.isFinite(video.duration)) {
    await eventAfter(video, 'seeked', () => {
      video.currentTime = Math.min(STILL_AT, video.duration / 2);
    });
  }
  const scale = Math.min(1, STILL_WIDTH / video.videoWidth);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  if (canvas.width === 0 || canvas.height === 0) return undefined;
  canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height);
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  canvas.toBlob(resolve, 'image/jpeg', STILL_QUALITY);
  return (await promise) ?? undefined;
}

/** Waits for an event that an action causes. Rejects at an error, or when the time is over. */
function eventAfter(element: HTMLMediaElement, name: string, act: () => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = new AbortController();
  const timer = setTimeout(reject, TIMEOUT_MS, new Error('The browser did not read the file in time.'));
  element.addEventListener(name, () => resolve(), end);
  element.addEventListener('error', () => reject(new Error('The browser cannot read the file.')), end);
  act();
  return promise.finally(() => {
    clearTimeout(timer);
    end.abort();
  });
}
