import type { SupabaseContext } from '@supabase/server';
import { LIMITS } from '../_shared/limits.ts';
import { createRateLimit } from '../_shared/rate-limit.ts';
import { dataOf, Refused } from '../_shared/refusals.ts';
import {
  type FilingRequest,
  type IdSource,
  type IncomingMessage,
  type IncomingPhoto,
  messageIdOf,
  readCode,
  readRequest,
} from './message.ts';
import { CORRECTION_NOTES, proposalNotes, type Sentences, sentencesFor } from './sentences.ts';

type AdminClient = SupabaseContext['supabaseAdmin'];

/** Why a photo is not filed. */
export type PhotoProblem = 'gone' | 'too_large';

/** The files of a channel. Both functions throw Refused if the channel does not answer or asks to wait. */
export type ChannelFiles = {
  /** Returns why a file cannot be fetched; undefined if it can. */
  problemOf(file: string): Promise<PhotoProblem | undefined>;
  /** Fetches a file of at most `maxBytes`. @returns undefined if it is gone */
  fetch(file: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
};

/** Returns why the photo of a message cannot be filed; undefined if it can. */
async function photoProblem(
  { file, bytes }: IncomingPhoto,
  files: ChannelFiles,
): Promise<PhotoProblem | undefined> {
  return bytes !== null && bytes > LIMITS.photo_bytes ? 'too_large' : files.problemOf(file);
}

/**
 * Fetches a registered photo from the channel and stores it, after which the website processes it.
 * @returns false if its file is gone: the photo is refused then
 * @throws Refused if the channel or the storage does not answer. The next delivery tries again.
 */
async function fetchPhoto(
  backend: AdminClient,
  { id, file }: { id: string; file: string },
  files: ChannelFiles,
): Promise<boolean> {
  const bytes = await files.fetch(file, LIMITS.photo_bytes);
  const type = bytes && typeOf(bytes);
  if (!bytes || !type) {
    await dataOf(backend.rpc('refuse_photo', { photo_id: id, code: bytes ? 'unsupported_media' : 'gone' }));
    return false;
  }
  const { error } = await backend.storage
    .from('photos')
    .upload(`incoming/${id}`, bytes, { contentType: type });
  // Another delivery has stored it.
  const isStored = error && 'statusCode' in error && String(error.statusCode) === '409';
  if (error && !isStored) throw new Refused('unavailable', 'photo_upload_unavailable');
  return true;
}

/** Returns the media type of an image by its first bytes. */
function typeOf(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('\x89PNG')) return 'image/png';
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp';
  return ['ftypavif', 'ftypavis'].includes(start.slice(4)) ? 'image/avif' : undefined;
}

/* What becomes of a message, the same for every channel. */

/** What the database says about a message. */
type FilingOutcome = {
  outcome: string;
  language?: string;
  state?: string;
  number?: number;
  coverage?: string;
  coverages?: string[];
  person?: string;
  filed?: number;
  photos?: { id: string; file: string }[];
};

/** Messages per minute of a sender. Forwarded messages come at once. */
const limitSender = createRateLimit(60, 60_000);
/**
 * Codes that are tried in 15 minutes, by a sender and in total. There are 28^8 codes, so the total may be high enough
 * that strangers cannot keep others from linking.
 */
const limitCodes = createRateLimit(5, 15 * 60_000);
const limitAllCodes = createRateLimit(10_000, 15 * 60_000);

/** How a message is filed: the page on which people make codes, the files of the channel, and what ids are made of. */
type FilingContext = { accountPage: string; files: ChannelFiles; ids: IdSource };

/**
 * Files a message and returns the answer to its sender; no text for a further message of an album.
 * @throws Error if the database, or the channel with a photo, does not answer, or a linked sender sends too much at once. The
 *   channel then delivers the message again.
 */
export async function fileMessage(
  backend: AdminClient,
  message: IncomingMessage,
  context: FilingContext,
): Promise<string> {
  const { channel, sender } = message;
  const own = sentencesFor(sender.language);
  const ownId = await messageIdOf(message, context.ids);
  const isLinked = async () =>
    (await fileRequest(backend, message, ownId, { kind: 'help' })).outcome === 'linked';
  const wait = limitSender(`${channel} ${sender.id}`);
  if (wait > 0 && (await isLinked())) throw new Refused('rate_limited', null, { retryAfter: wait });
  if (wait > 0) return own.tooFast;
  const code = readCode(message.text);
  if (code !== undefined) {
    const mayTry = limitCodes(`${channel} ${sender.id}`) === 0 && limitAllCodes(channel) === 0;
    const linked = mayTry
      ? await linkSender(backend, message, code)
      : (await isLinked())
        ? null
        : own.tooFast;
    if (linked !== null) return linked;
  }
  // Files of other senders are not requested.
  const problem =
    message.photo && (await isLinked()) ? await photoProblem(message.photo, context.files) : undefined;
  const usable = problem ? { ...message, photo: null } : message;
  const photoId = await messageIdOf({ channel, id: `${message.id}:photo` }, context.ids);
  const request = readRequest(usable, photoId);
  // Only the database knows whether the sender is linked, and the language of the answer.
  const outcome =
    request.kind === 'deletion' && message.repliesTo
      ? await deleteUpdate(backend, message, message.repliesTo, context.ids)
      : message.album === null || request.kind === 'correction'
        ? await fileRequest(backend, usable, ownId, request)
        : await fileAlbumRequest(backend, { ...usable, album: message.album }, ownId, request, context.ids);
  const { language, photos = [], ...filed } = outcome;
  let areFetched = true;
  for (const photo of photos) areFetched = (await fetchPhoto(backend, photo, context.files)) && areFetched;
  const sentences = sentencesFor(language ?? sender.language);
  const notes = [
    ...(problem === 'too_large' ? [sentences.photoTooLarge] : []),
    ...(problem === 'gone' || !areFetched ? [sentences.photoGone] : []),
  ];
  if (filed.outcome === 'linked' && notes.length > 0) return notes.join('\n');
  if (filed.outcome === 'added') return notes.join('\n');
  // Its first message was answered.
  if (filed.outcome === 'album_refused' && message.text === '') return '';
  if (filed.outcome === 'linked') return sentenceOfRequest(request, sentences);
  const isFiled = ['filed', 'choose', 'edited', 'corrected', 'proposed'].includes(filed.outcome);
  const isLeftOut = message.hasOtherFile || (request.kind === 'correction' && message.photo !== null);
  const other = isLeftOut && isFiled ? [sentences.withoutFile] : [];
  return [sentenceOf(filed, sentences, context.accountPage), ...notes, ...other].join('\n');
}

/** Links the sender. @returns null if the sender is linked already, and the text is an update */
async function linkSender(
  backend: AdminClient,
  { channel, sender }: IncomingMessage,
  code: string,
): Promise<string | null> {
  const linked: FilingOutcome | null = await dataOf(
    backend.rpc('link_filing_sender', { channel, sender: sender.id, name: sender.name, code }),
  );
  if (linked === null) return null;
  const sentences = sentencesFor(linked.language ?? sender.language);
  if (linked.outcome === 'linked') return sentences.linked(linked.person ?? '');
  return linked.outcome === 'other_person' ? sentences.otherPerson : sentences.wrongCode;
}

/** Requests of which nothing is filed. The photos of their album would be without their words. */
const REFUSED_KINDS = ['unknown_command', 'correction_form', 'deletion'];

/**
 * Sends a message of an album to the database. The album is one update. A message that it takes no more is an update of its
 * own. A refused message is remembered, so that the others are not filed without its words.
 */
async function fileAlbumRequest(
  backend: AdminClient,
  message: IncomingMessage & { album: string },
  ownId: string,
  request: FilingRequest,
  ids: IdSource,
): Promise<FilingOutcome> {
  const id = await messageIdOf({ channel: message.channel, id: message.album }, ids);
  const outcome = await fileRequest(backend, message, id, request, { is_album: true, own_id: ownId });
  if (outcome.outcome === 'album_closed') return fileRequest(backend, message, ownId, request);
  const isRefused = outcome.outcome === 'linked' && REFUSED_KINDS.includes(request.kind);
  if (isRefused || outcome.outcome === 'refused')
    await sendMessage(backend, message, id, null, { is_refused: true, reference: message.reference });
  return outcome;
}

/**
 * Sends a message to the database. A request that is no update only asks whether the sender is linked.
 * @param album says of which album the message is
 */
function fileRequest(
  backend: AdminClient,
  message: IncomingMessage,
  id: string,
  request: FilingRequest,
  album: object = {},
): Promise<FilingOutcome> {
  const original = { reference: message.reference, text: message.text };
  if (request.kind === 'correction') {
    const { number, content, options } = request;
    const notes = { notes: CORRECTION_NOTES, desk_notes: proposalNotes(number) };
    const more = { number, content, options: { ...options, ...notes, ...original } };
    return outcomeOf(dataOf(backend.rpc('correct_filed_update', { ...sentOf(message, id), ...more })));
  }
  if (request.kind !== 'update') return sendMessage(backend, message, id, null, {});
  return sendMessage(backend, message, id, request.content, { ...request.options, ...original, ...album });
}

const sentOf = ({ channel, sender, writtenAt }: IncomingMessage, message_id: string) => ({
  channel,
  sender: sender.id,
  message_id,
  written_at: writtenAt,
});

/** Calls `file_message`. */
const sendMessage = (
  backend: AdminClient,
  message: IncomingMessage,
  id: string,
  content: object | null,
  options: object,
): Promise<FilingOutcome> =>
  outcomeOf(dataOf(backend.rpc('file_message', { ...sentOf(message, id), content, options })));

/** The rules of the database may refuse a message. To deliver it again would change nothing. */
async function outcomeOf(call: Promise<FilingOutcome>): Promise<FilingOutcome> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Refused) return { outcome: 'refused' };
    throw error;
  }
}

/** Deletes the update of another message of the sender, or that of its album, unless readers or the desk have it. */
async function deleteUpdate(
  backend: AdminClient,
  { channel, sender }: IncomingMessage,
  { id, album }: NonNullable<IncomingMessage['repliesTo']>,
  ids: IdSource,
): Promise<FilingOutcome> {
  const message_id = await messageIdOf({ channel, id }, ids);
  const album_id = album === null ? null : await messageIdOf({ channel, id: album }, ids);
  const target = { channel, sender: sender.id, message_id, album_id };
  return outcomeOf(dataOf(backend.rpc('delete_filed_update', target)));
}

/** Returns the answer to a request that is no update. */
function sentenceOfRequest(request: FilingRequest, sentences: Sentences): string {
  if (request.kind === 'deletion') return sentences.deletionForm;
  if (request.kind === 'correction_form') return sentences.correctionForm;
  if (request.kind === 'unknown_command') return sentences.unknownCommand(request.command);
  return request.kind === 'empty' ? sentences.empty : sentences.help;
}

/** Returns the sentence for an outcome. */
function sentenceOf(filed: FilingOutcome, sentences: Sentences, account: string): string {
  const { number = 0, coverage = '', coverages = [] } = filed;
  switch (filed.outcome) {
    case 'filed':
      if (filed.state === 'published') return sentences.published(number);
      return filed.state === 'draft' ? sentences.draft(coverage) : sentences.submitted(coverage);
    case 'chosen':
      return sentences.chosen(coverage, filed.filed ?? 0);
    case 'choose':
      return sentences.choose(coverages);
    case 'live':
      return sentences.live(number);
    case 'deleted':
      return sentences.deleted;
    case 'published':
      return sentences.notDeleted(number);
    case 'kept':
      return sentences.notDeletedChanged;
    case 'album_refused':
      return sentences.albumRefused;
    case 'unknown_message':
      return sentences.deletionForm;
    case 'corrected':
      return sentences.corrected(number);
    case 'proposed':
      return sentences.proposed(number, coverage);
    case 'not_corrected':
      return sentences.notCorrected;
    case 'unknown_update':
      return sentences.unknownUpdate(number);
    case 'name_coverage':
      return sentences.nameCoverage;
    case 'unlinked':
      return sentences.unlinked(account);
    case 'edited':
      return sentences.edited;
    case 'changed':
      return sentences.changed;
    case 'inactive':
      return sentences.inactive;
    case 'no_coverage':
      return sentences.noCoverage;
    case 'unknown_coverage':
      return sentences.unknownCoverage;
    case 'too_many_waiting':
      return sentences.tooManyWaiting;
  }
  return sentences.refused;
}
