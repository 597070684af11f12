import { keyedDigest } from '../_shared/crypto.ts';
import { LIMITS } from '../_shared/limits.ts';

/** Channels by which people file, as the database names them. */
type FilingChannel = 'telegram';

/** A message as every channel delivers it. An adapter makes it from a delivery. */
export type IncomingMessage = {
  channel: FilingChannel;
  /** Unique at the channel. A message and its edits have the same id. */
  id: string;
  /** Id of the message in its chat, to reply to it. */
  reference: string;
  sender: { id: string; name: string; language: string };
  /** ISO time at which the message was written or last edited. Orders the messages of a sender. */
  writtenAt: string;
  text: string;
  /** Whether the whole first line is bold. */
  hasBoldFirstLine: boolean;
  place: IncomingPlace | null;
  photo: IncomingPhoto | null;
  /** Id of the album that the message belongs to, unique at the channel. */
  album: string | null;
  /** The message to which this one replies, with its album, as in `id` and `album`. */
  repliesTo: { id: string; album: string | null } | null;
  /** The message has a recording or another file, which is not filed. */
  hasOtherFile: boolean;
};

/** A photo of a message: the id of its file at the channel, and its size, if the channel tells it. */
export type IncomingPhoto = { file: string; bytes: number | null };

/** A place as a map block has it. */
export type IncomingPlace = { name: string; latitude: number; longitude: number };

/** Content of an update, as the database reads it. */
type FiledContent = { headline: string | null; body: object[]; key_event: boolean };

/** What a message asks for. */
export type FilingRequest =
  | { kind: 'help' }
  | { kind: 'empty' }
  | { kind: 'unknown_command'; command: string }
  | { kind: 'deletion' }
  | { kind: 'correction_form' }
  | {
      kind: 'correction';
      number: number;
      content: FiledContent;
      options: { slug: string | null; note: string | null };
    }
  | {
      kind: 'update';
      content: FiledContent;
      options: {
        slug: string | null;
        choice: number | null;
        is_draft: boolean;
        photo: { id: string; file: string } | null;
      };
    };

/** Characters of codes: no vowels, so that no word is a code, and none that look alike. */
const CODE = /^([23456789BCDFGHJKMNPQRSTVWXYZ]{4})-?([23456789BCDFGHJKMNPQRSTVWXYZ]{4})$/i;

/**
 * Returns the code that a text consists of, also after `/start`, in the form of which the database has the digest.
 * @returns undefined if the text is no code
 */
export function readCode(text: string): string | undefined {
  const [, first, second] = CODE.exec(text.trim().replace(/^\/start\s+/i, '')) ?? [];
  return first && second ? `${first}${second}`.toUpperCase() : undefined;
}

/** Returns what a message asks for. @param photoId id of the photo of the message, if it has one */
export function readRequest(message: IncomingMessage, photoId: string): FilingRequest {
  const text = message.text.trim();
  if (text === '?' || /^\/(start|help)\b/i.test(text)) return { kind: 'help' };
  const { commands, rest } = takeCommands(text);
  if (commands[0] === 'delete') return { kind: 'deletion' };
  if (commands[0] === 'correct') return readCorrection(rest, message);
  const unknown = commands.find((command) => command !== 'draft' && command !== 'key');
  if (unknown !== undefined) return { kind: 'unknown_command', command: unknown };
  const { slug, lines } = takeSlug(rest);
  const photo = message.photo && { id: photoId, file: message.photo.file };
  const content = contentOf(lines, message, commands.includes('key'));
  if (photo) content.body.push({ type: 'photo', photo: photo.id });
  if (content.body.length === 0) return { kind: 'empty' };
  const choice = /^[1-9]$/.test(rest) ? Number(rest) : null;
  return { kind: 'update', content, options: { slug, choice, is_draft: commands.includes('draft'), photo } };
}

/** Start of the line with the note for readers, the last one of a correction. */
const NOTE = /^(?:note|nota)\s*:\s*/i;

/** Reads a correction: the number of the update, its new text, and a note for readers if the last line is one. */
function readCorrection(text: string, message: IncomingMessage): FilingRequest {
  const [whole, digits] = /^(\d{1,7})(?=\s)/.exec(text) ?? [];
  if (whole === undefined) return { kind: 'correction_form' };
  const { slug, lines } = takeSlug(text.slice(whole.length));
  const last = lines.at(-1) ?? '';
  const note = NOTE.test(last) ? last.replace(NOTE, '') : null;
  const content = contentOf(
    note === null ? lines : lines.slice(0, -1),
    { ...message, place: null, photo: null },
    false,
  );
  if (content.body.length === 0) return { kind: 'correction_form' };
  return { kind: 'correction', number: Number(digits), content, options: { slug, note: note || null } };
}

/** Takes the commands at the beginning of a text, such as `/draft /key`. A chat may add the name of the bot. */
function takeCommands(text: string): { commands: string[]; rest: string } {
  const commands: string[] = [];
  let rest = text;
  for (;;) {
    const [whole, name] = /^\/([a-z]{1,20})(?:@\w{1,40})?(?=\s|$)/i.exec(rest) ?? [];
    if (whole === undefined || name === undefined) return { commands, rest };
    commands.push(name.toLowerCase());
    rest = rest.slice(whole.length).trimStart();
  }
}

/** Takes the first `#slug` out of a text. @returns the remaining lines without empty ones */
function takeSlug(text: string): { slug: string | null; lines: string[] } {
  const [whole, slug] = /(?<=^|\s)#([a-z0-9]+(?:-[a-z0-9]+)*)(?=\s|$)/.exec(text) ?? [];
  const isSlug = slug !== undefined && slug.length >= LIMITS.slug_min && slug.length <= LIMITS.slug_max;
  const rest = isSlug && whole !== undefined ? text.replace(whole, '') : text;
  return { slug: isSlug ? slug : null, lines: linesOf(rest) };
}

/** Returns the visible lines of a text, without control characters. */
const linesOf = (text: string): string[] =>
  text
    .split(/[\n\u2028\u2029]/)
    .map((line) => line.replace(/[\p{Cc} ]+/gu, ' ').trim())
    .filter((line) => line !== '');

/** Makes the content of an update. The first of several lines is its headline if it is in capitals or bold. */
function contentOf(
  lines: string[],
  { hasBoldFirstLine, place, photo }: IncomingMessage,
  key_event: boolean,
): FiledContent {
  const [first = '', ...others] = lines;
  const map = place ? [{ type: 'map', ...place }] : [];
  const marked = /^\*(.+)\*$/.exec(first)?.[1]?.trim();
  const headline = marked || first;
  const isHeadline =
    (others.length > 0 || map.length > 0 || photo !== null) &&
    (Boolean(marked) || hasBoldFirstLine || isInCapitals(first)) &&
    [...headline].length <= LIMITS.update_headline;
  const paragraphs = (isHeadline ? others : lines).map((text) => ({ type: 'paragraph', runs: [{ text }] }));
  return { headline: isHeadline ? headline : null, body: [...paragraphs, ...map], key_event };
}

const isInCapitals = (line: string) =>
  line === line.toUpperCase() && (line.match(/\p{Lu}/gu)?.length ?? 0) >= 3;

/** The account of the newsroom that received a message, and the secret key of the backend. */
export type IdSource = { account: string; key: string };

/**
 * Returns the id of a message, always the same for its channel, account and id there. Public updates have this id, so
 * it can be computed from the sender with the key only, and it has the form of a random UUID.
 */
export async function messageIdOf(
  { channel, id }: Pick<IncomingMessage, 'channel' | 'id'>,
  { account, key }: IdSource,
): Promise<string> {
  const digest = await keyedDigest('filing ids', `${channel}:${account}:${id}`, key);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x40;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
