import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  deviceIdOf,
  deviceTokenOf,
  readDeviceToken,
  readUploadToken,
  receiptOf,
  uploadTokenOf,
} from '../../../supabase/functions/submit-tip/tokens.ts';

const SECRET = 'sb_secret_ours';
const made = async (tip = randomUUID()) => {
  const id = await deviceIdOf(tip, SECRET);
  return { id, token: await deviceTokenOf(id, SECRET) };
};

test('a token identifies its device, and differs from others', async () => {
  const [tip, other] = [randomUUID(), randomUUID()];
  const [first, second] = [await made(tip), await made(other)];
  expect(await readDeviceToken(first.token, SECRET)).toBe(first.id);
  expect(first.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(second.id).not.toBe(first.id);
  expect(await made(tip), 'at a second try').toEqual(first);
  expect(first.token).not.toContain(tip);
  expect(first.token).not.toContain(await receiptOf(tip, SECRET));
});

test('tokens with other signatures are invalid', async () => {
  const [{ id, token }, other] = [await made(), await made()];
  const [, signature = ''] = token.split('.');
  for (const forged of [
    null,
    '',
    id,
    `${id}.`,
    token.slice(0, -1),
    `${token}A`,
    `${token} `,
    token.toUpperCase(),
    `${randomUUID()}.${signature}`,
    `${other.id}.${signature}`,
    `${id}.${'A'.repeat(43)}`,
    `${id}.${await receiptOf(id, SECRET)}`,
    await deviceTokenOf(id, 'sb_secret_of_another_newsroom'),
    `x${token}`,
  ]) {
    expect(await readDeviceToken(forged, SECRET), String(forged)).toBeNull();
  }
});

test('a repeated request for an upload is valid for a day', async () => {
  const [photo, day] = [randomUUID(), 24 * 3_600_000];
  const again = await uploadTokenOf(photo, SECRET, Date.now() - day + 60_000);
  expect(await readUploadToken({ photo, again }, SECRET)).toBe(photo);
  const late = readUploadToken({ photo, again }, SECRET, Date.now() + 120_000);
  await expect(late).rejects.toMatchObject({ code: 'not_found' });
});
