import { fileTypeFromBuffer } from 'file-type';
import {
  type FormValues,
  fieldText,
  meanwhileOf,
  mustSave,
  type RejectedForm,
  rejectForm,
  renderedValues,
  requireUnchanged,
} from '../data/forms.ts';
import { type PhotoTexts, photoContent, photoRefusal, photoTexts } from '../data/photo-form.ts';
import type { PhotoFile } from '../data/photo-library.ts';
import { type BackendClient, dataOf, runCommand } from '../data/result.ts';
import { type ProcessingStatus, serverBridge } from '../data/server-bridge.ts';
import { isUuid } from '../domain/paths.ts';
import { PHOTO_TYPES } from '../domain/photos.ts';
import type { Messages } from '../i18n/messages.ts';
import { type RefusalMessage, Refused, refusalOrThrow } from '../i18n/refusals.ts';

/* The forms of a photo's page. Each runs with the permissions of the person who sends it. */

/** The forms of the page. */
type PhotoAction = 'words' | 'replace' | 'remove';

/** A rejected form with its typed values. */
export type RejectedPhotoForm = { act: PhotoAction; rejected: RejectedForm; typed: TypedPhoto };

/** Result of a form: the photo and the number of changed updates, or the rejection. */
type PhotoFormResult =
  | { act: PhotoAction; photo: string; updates: number; published: number }
  | RejectedPhotoForm;

export type TypedPhoto = PhotoTexts & {
  note: string;
  tell: string;
  /** Id of a picture that was already uploaded, but has not replaced the photo. */
  arrived: string | null;
  /** Texts that the form was loaded with. */
  seen: FormValues | null;
};

/** Reads which form was submitted, and its values. */
export function readPhotoForm(form: FormData): { act: PhotoAction; typed: TypedPhoto } {
  const act = (['replace', 'remove'] as const).find((one) => one === fieldText(form, 'act')) ?? 'words';
  const arrived = fieldText(form, 'arrived');
  const typed: TypedPhoto = {
    alt: fieldText(form, 'alt'),
    caption: fieldText(form, 'caption'),
    credit: fieldText(form, 'credit'),
    note: fieldText(form, 'note'),
    tell: fieldText(form, 'tell'),
    arrived: isUuid(arrived) ? arrived : null,
    seen: renderedValues(form),
  };
  return { act, typed };
}

/** Handles a form of the page. @param address network address of the sender */
export async function changePhoto(
  messages: Messages,
  backend: BackendClient,
  photo: PhotoFile,
  form: FormData,
  address: string,
): Promise<PhotoFormResult> {
  const { act, typed } = readPhotoForm(form);
  try {
    return { act, ...(await HANDLERS[act](backend, photo, typed, submittedFile(form, 'file'), address)) };
  } catch (error) {
    const rejected = rejectForm(refusalOrThrow(error), messages, { photos: 'alt' });
    return { act, typed, rejected: { ...rejected, meanwhile: meanwhileOf(error) } };
  }
}

type Done = { photo: string; updates: number; published: number };
type FormHandler = (
  backend: BackendClient,
  photo: PhotoFile,
  typed: TypedPhoto,
  file: File | null,
  address: string,
) => Promise<Done>;

const HANDLERS: Record<PhotoAction, FormHandler> = {
  async words(backend, photo, typed) {
    const texts = photoTexts(photoContent(typed));
    if (mustSave(typed.seen, photoTexts(photo), texts)) await saveWords(backend, photo.id, photo, typed);
    return { photo: photo.id, updates: 0, published: 0 };
  },

  async replace(backend, photo, typed, file, address) {
    const note = noteOf(photo, typed);
    if (!photoContent(typed).alt) throw invalid('alt', ({ photoLibrary }) => photoLibrary.problems.alt);
    requireUnchanged(typed.seen, photoTexts(photo), photoTexts(photoContent(typed)));
    if (file) typed.arrived = null;
    else if (!typed.arrived) throw invalid('file', ({ photoLibrary }) => photoLibrary.problems.file);
    const id = typed.arrived ?? crypto.randomUUID();
    const blob = file && (await imageOf(file));
    if (file && !blob)
      throw invalid('file', (messages) => photoRefusal(messages, 'unsupported_media'), 'unsupported_media');
    const { state } = await saveWords(backend, id, photo, typed);
    if (blob && state === 'uploading') await upload(backend, id, blob);
    // The picture is stored, so a later refusal does not require another upload, unless the picture itself is refused.
    typed.arrived = id;
    const refused = await processUpload(id, address);
    if (refused) {
      typed.arrived = null;
      throw invalid('file', (messages) => photoRefusal(messages, refused), 'unsupported_media');
    }
    const done = await runCommand(backend, 'replace_photo', {
      photo_id: photo.id,
      replacement_id: id,
      ...note,
    });
    return { photo: id, ...(done as Pick<Done, 'updates' | 'published'>) };
  },

  async remove(backend, photo, typed) {
    const note = noteOf(photo, typed);
    const done = await runCommand(backend, 'remove_photo', { photo_id: photo.id, ...note });
    return { photo: photo.id, ...(done as Pick<Done, 'updates' | 'published'>) };
  },
};

async function saveWords(
  backend: BackendClient,
  photo_id: string,
  { coverage }: PhotoFile,
  typed: TypedPhoto,
): Promise<ProcessingStatus> {
  const idempotency_key = crypto.randomUUID();
  const content = photoContent(typed);
  return (await dataOf(
    backend.rpc('save_photo', { idempotency_key, photo_id, coverage_id: coverage.id, content }),
  )) as ProcessingStatus;
}

/** The note of a correction, if the photo is on a published update and readers are to be informed. */
function noteOf({ uses }: PhotoFile, { tell, note }: TypedPhoto): { note?: string } {
  const isPublished = uses.some(({ shows, state }) => shows && state === 'published');
  if (!isPublished || tell === 'revision') return {};
  if (tell !== 'correction') throw invalid('tell', ({ photoLibrary }) => photoLibrary.problems.tell);
  if (!note.trim()) throw invalid('note', ({ photoLibrary }) => photoLibrary.problems.note);
  return { note };
}

/** The file of a form field; null if it is empty. Browsers send an empty file for an empty field. */
export function submittedFile(form: FormData, field: string): File | null {
  const file = form.get(field);
  return file instanceof File && file.size > 0 ? file : null;
}

/** Detects the format from the content. @returns null if it is no supported image */
export async function imageOf(file: File): Promise<Blob | null> {
  const bytes = await file.arrayBuffer();
  const type = (await fileTypeFromBuffer(bytes))?.mime;
  return type && PHOTO_TYPES.includes(type) ? new Blob([bytes], { type }) : null;
}

async function upload(backend: BackendClient, id: string, picture: Blob): Promise<void> {
  const options = { contentType: picture.type };
  const { error } = await backend.storage.from('photos').upload(`incoming/${id}`, picture, options);
  if (!error) return;
  const { statusCode } = error as { statusCode?: string };
  if (statusCode === '413')
    throw invalid('file', (messages) => photoRefusal(messages, 'too_large'), 'too_large');
  if (statusCode === '415')
    throw invalid('file', (messages) => photoRefusal(messages, 'unsupported_media'), 'unsupported_media');
  throw new Refused('unavailable');
}

/**
 * Waits until a picture is processed. @returns why it was refused, or null. @throws Refused when that takes too long
 */
async function processUpload(id: string, address: string): Promise<string | null> {
  const result = await serverBridge.processPhoto?.(id, address);
  if (result && 'refusal' in result) throw new Refused(result.refusal);
  const status = result?.status;
  if (status?.state === 'ready') return null;
  if (status?.state === 'refused') return status.refusal_code ?? 'internal';
  throw new Refused('unavailable', { message: ({ photoLibrary }) => photoLibrary.problems.still });
}

const invalid = (
  field: string,
  message: RefusalMessage,
  code: 'invalid' | 'unsupported_media' | 'too_large' = 'invalid',
) => new Refused(code, { field, message });
