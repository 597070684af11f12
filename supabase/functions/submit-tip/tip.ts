import { Refused } from '../_shared/refused.ts';

/** A tip as it is sent. Its lengths are the database's to judge. */
export type Tip = {
  /** Made by whoever sends it, so that a second try is the same tip. */
  id: string;
  /** The slug of the coverage that it is about. */
  coverage: string | null;
  body: string;
  name: string | null;
  contact: string | null;
  /** Whether an update may say the name. */
  mayName: boolean;
  photo: { id: string } | null;
  /** What the sender's device shows to be known again. Whether it is ours is another question. */
  device: string | null;
  /** A field that people do not see: what stands in it was not written by one. */
  website: string | null;
  /** From the first key to sending, in milliseconds, where the sender's page has told. */
  tookMs: number | null;
};

const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'];
const LARGEST_PHOTO_BYTES = 20 * 1024 * 1024;
const LONGEST_DEVICE = 200;

/** @throws Refused naming the field */
export function readTip(sent: Record<string, unknown>): Tip {
  const body = textOf(sent, 'body');
  if (body === null) throw new Refused('invalid', 'text_missing', { field: 'body' });
  return {
    id: uuidOf(sent, 'id'),
    coverage: textOf(sent, 'coverage'),
    body,
    name: textOf(sent, 'name'),
    contact: textOf(sent, 'contact'),
    mayName: flagOf(sent, 'may_name'),
    photo: photoOf(sent.photo),
    device: deviceOf(sent),
    website: textOf(sent, 'website') && 'filled',
    tookMs: typeof sent.took_ms === 'number' && sent.took_ms >= 0 ? sent.took_ms : null,
  };
}

export const deviceOf = (sent: Record<string, unknown>) =>
  textOf(sent, 'device')?.slice(0, LONGEST_DEVICE) ?? null;

/** What is said of a photo beforehand. What it is shows when it is here. */
function photoOf(sent: unknown): Tip['photo'] {
  if (sent === undefined || sent === null) return null;
  if (typeof sent !== 'object') throw new Refused('invalid', 'call_not_understood', { field: 'photo' });
  const { type, size } = sent as { type?: unknown; size?: unknown };
  if (typeof type !== 'string' || !PHOTO_TYPES.includes(type)) {
    throw new Refused('unsupported_media', null, { field: 'photo' });
  }
  if (typeof size !== 'number' || !(size > 0)) {
    throw new Refused('invalid', 'call_not_understood', { field: 'photo' });
  }
  if (size > LARGEST_PHOTO_BYTES) throw new Refused('too_large', 'photo_too_large', { field: 'photo' });
  return { id: uuidOf(sent as Record<string, unknown>, 'id') };
}

function textOf(sent: Record<string, unknown>, field: string): string | null {
  const value = sent[field] ?? null;
  if (value !== null && (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed())) {
    throw new Refused('invalid', 'call_not_understood', { field });
  }
  return value?.trim() || null;
}

function flagOf(sent: Record<string, unknown>, field: string): boolean {
  const value = sent[field] ?? false;
  if (typeof value === 'boolean') return value;
  throw new Refused('invalid', 'call_not_understood', { field });
}

export function uuidOf(sent: Record<string, unknown>, field: string): string {
  const value = sent[field];
  if (typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) {
    return value.toLowerCase();
  }
  throw new Refused('invalid', 'call_not_understood', { field });
}
