import type { IncomingMessage, IncomingPhoto, IncomingPlace } from './message.ts';

/*
 * The adapter of Telegram: reads the deliveries of a bot's webhook and answers them, as core.telegram.org/bots/api
 * documents them.
 */

/** Header with the secret that setWebhook has set. */
export const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

type Values = Record<string, unknown>;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads a delivery.
 * @returns null for deliveries that are no messages of a person in a private chat, such as those of groups; also for the
 *   movements of a live location, which would publish where the sender goes
 */
export function readDelivery(delivery: Values): IncomingMessage | null {
  const edited = delivery.edited_message;
  const message = edited ?? delivery.message;
  if (!isObject(message) || !isObject(message.chat) || !isObject(message.from)) return null;
  const { chat, from, message_id } = message;
  if (chat.type !== 'private' || from.is_bot === true) return null;
  if (edited !== undefined && isObject(message.location) && !isObject(message.venue)) return null;
  if (!Number.isSafeInteger(chat.id) || !Number.isSafeInteger(from.id) || !Number.isSafeInteger(message_id))
    return null;
  const seconds = edited === undefined ? message.date : message.edit_date;
  const order = edited === undefined ? message_id : delivery.update_id;
  if (!isTime(seconds) || !Number.isSafeInteger(order)) return null;
  const text = textOf(message.text ?? message.caption);
  const place = placeOf(message);
  const photo = photoOf(message);
  return {
    channel: 'telegram',
    id: `${chat.id}:${message_id}`,
    reference: String(message_id),
    sender: {
      id: String(from.id),
      name: from.username ? `@${textOf(from.username)}` : nameOf(from),
      language: textOf(from.language_code),
    },
    writtenAt: timeOf(seconds, Number(order), edited !== undefined),
    text,
    hasBoldFirstLine: hasBoldFirstLine(text, message.entities ?? message.caption_entities),
    place,
    photo,
    album: albumOf(chat, message),
    repliesTo: repliedMessage(chat, message),
    hasOtherFile: place === null && photo === null && message.text === undefined,
  };
}

/** Returns the id of the album of a message. */
const albumOf = (chat: Values, { media_group_id: id }: Values): string | null =>
  /^[\w-]{1,64}$/.test(textOf(id)) ? `${chat.id}:album:${id}` : null;

/** Returns the message of the same chat to which a message replies. */
function repliedMessage(chat: Values, { reply_to_message: replied }: Values): IncomingMessage['repliesTo'] {
  if (!isObject(replied) || !Number.isSafeInteger(replied.message_id)) return null;
  return { id: `${chat.id}:${replied.message_id}`, album: albumOf(chat, replied) };
}

const nameOf = (from: Values): string =>
  [from.first_name, from.last_name].map(textOf).filter(Boolean).join(' ') || String(from.id);

const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0 && Number(value) < 2 ** 35;

/**
 * Telegram gives times in seconds. The number of the message orders the messages of one second, and an edit is later
 * than its message.
 */
function timeOf(seconds: number, order: number, isEdit: boolean): string {
  const micros = (isEdit ? 500_000 : 0) + (order % 100_000);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}Z`;
}

/** Decimals of coordinates that a map block has: about a metre. */
const DECIMALS = 5;

function placeOf(message: Values): IncomingPlace | null {
  const venue = isObject(message.venue) ? message.venue : undefined;
  const location = venue?.location ?? message.location;
  if (!isObject(location)) return null;
  const { latitude, longitude } = location;
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return null;
  const round = (degrees: number) => Number(degrees.toFixed(DECIMALS));
  const name = textOf(venue?.title).trim() || `${latitude.toFixed(3)}, ${longitude.toFixed(3)}`;
  return { name: [...name].slice(0, 80).join(''), latitude: round(latitude), longitude: round(longitude) };
}

/** Types of image files that the newsroom takes. */
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'];

/** The photo of a message: the largest of its sizes, or an image that was sent as a file. */
function photoOf({ photo, document }: Values): IncomingPhoto | null {
  const isImage = isObject(document) && IMAGE_TYPES.includes(textOf(document.mime_type));
  const file: unknown = Array.isArray(photo) ? photo.at(-1) : isImage && document;
  if (!isObject(file) || !/^[\w-]{1,200}$/.test(textOf(file.file_id))) return null;
  const bytes = Number.isSafeInteger(file.file_size) ? Number(file.file_size) : null;
  return { file: textOf(file.file_id), bytes };
}

/** Whether bold text covers the first line. Offsets count UTF-16 units, like those of JavaScript. */
function hasBoldFirstLine(text: string, entities: unknown): boolean {
  const start = text.length - text.trimStart().length;
  const end = text.indexOf('\n', start) < 0 ? text.length : text.indexOf('\n', start);
  return (
    Array.isArray(entities) &&
    entities.some(
      (entity) =>
        isObject(entity) &&
        entity.type === 'bold' &&
        Number(entity.offset) <= start &&
        Number(entity.offset) + Number(entity.length) >= text.slice(0, end).trimEnd().length,
    )
  );
}

/** Answers a delivery: Telegram calls the method that the response names, so the answer needs no request of its own. No text is no answer. */
export function answerDelivery({ id }: Pick<IncomingMessage, 'id'>, text: string): Response {
  if (text === '') return Response.json({});
  const [chat_id, message_id] = id.split(':').map(Number);
  const reply_parameters = { message_id, allow_sending_without_reply: true };
  const link_preview_options = { is_disabled: true };
  return Response.json({ method: 'sendMessage', chat_id, text, reply_parameters, link_preview_options });
}
