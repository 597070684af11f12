import { notUnderstood, Refused } from '../_shared/refusals.ts';

/** A tip as submitted. The database validates the lengths. */
export type Tip = {
  /** Created by the sender, so that a repeated submission is the same tip. */
  id: string;
  /** Slug of the coverage that the tip is about. */
  coverage: string | null;
  body: string;
  name: string | null;
  contact: string | null;
  /** Whether the name may be published. */
  mayName: boolean;
  photo: { id: string } | null;
  /** Device token, not yet verified. */
  device: string | null;
  /** Honeypot field. People do not see it. */
  website: string | null;
  /** Milliseconds between the first key press and submitting, if measured. */
  tookMs: number | null;
};

const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'];
const MAX_PHOTO_BYTES = 20 * 1024 * 1024;
const MAX_DEVICE_LENGTH = 200;

/** Reads a tip from a request body. @throws Refused naming the field */
export function readTipRequest(sent: Record<string, unknown>): Tip {
  const body = textOf(sent, 'body');
  if (body === null) throw new Refused('invalid', 'text_missing', { field: 'body' });
  return {
    id: uuidOf(sent, 'id'),
    coverage: textOf(sent, 'coverage'),
    body,
    name: textOf(sent, 'name'),
    contact: textOf(sent, 'contact'),
    mayName: flagOf(sent, 'may_be_named'),
    photo: photoOf(sent.photo),
    device: submittedDevice(sent),
    website: textOf(sent, 'website') && 'filled',
    tookMs: typeof sent.took_ms === 'number' && sent.took_ms >= 0 ? sent.took_ms : null,
  };
}

export const submittedDevice = (sent: Record<string, unknown>) =>
  textOf(sent, 'device')?.slice(0, MAX_DEVICE_LENGTH) ?? null;

/** Validates the announced type and size. The content is checked after the upload. */
function photoOf(sent: unknown): Tip['photo'] {
  if (sent === undefined || sent === null) return null;
  if (typeof sent !== 'object') throw notUnderstood('photo');
  const { type, size } = sent as { type?: unknown; size?: unknown };
  if (typeof type !== 'string' || !PHOTO_TYPES.includes(type)) {
    throw new Refused('unsupported_media', null, { field: 'photo' });
  }
  if (typeof size !== 'number' || !(size > 0)) throw notUnderstood('photo');
  if (size > MAX_PHOTO_BYTES) throw new Refused('too_large', 'photo_too_large', { field: 'photo' });
  return { id: uuidOf(sent as Record<string, unknown>, 'id') };
}

function textOf(sent: Record<string, unknown>, field: string): string | null {
  const value = sent[field] ?? null;
  if (value !== null && (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed())) {
    throw notUnderstood(field);
  }
  return value?.trim() || null;
}

function flagOf(sent: Record<string, unknown>, field: string): boolean {
  const value = sent[field] ?? false;
  if (typeof value === 'boolean') return value;
  throw notUnderstood(field);
}

export function uuidOf(sent: Record<string, unknown>, field: string): string {
  const value = sent[field];
  if (typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) {
    return value.toLowerCase();
  }
  throw notUnderstood(field);
}
