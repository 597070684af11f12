import { expect, test } from 'vitest';
import type { AdminClient } from '../../../supabase/functions/deliver-alerts/deliver.ts';
import { type Delivery, openPhotos } from '../../../supabase/functions/deliver-alerts/delivery.ts';

const about = (id: string | null) =>
  ({
    updates: [{ photo: id && { id, bucket: 'tips', width: 480, height: 320, alt: 'The quay' } }],
  }) as Delivery;

/** Storage with these files. @returns the paths that are read, and the reader */
function storageWith(files: Record<string, Uint8Array<ArrayBuffer> | Error>) {
  const paths: string[] = [];
  const from = (bucket: string) => ({
    async download(path: string) {
      paths.push(`${bucket}/${path}`);
      const file = files[`${bucket}/${path}`];
      if (file instanceof Error) throw file;
      return file ? { data: new Blob([file]), error: null } : { data: null, error: new Error('Not found') };
    },
  });
  return { paths, read: openPhotos({ storage: { from } } as unknown as AdminClient) };
}

test('reads the smallest rendition of a photo once for all mails', async () => {
  const file = Uint8Array.of(1, 2, 255);
  const { paths, read } = storageWith({ 'tips/renditions/a/480': file });
  expect(await Promise.all([read(about('a')), read(about('a'))])).toEqual(['AQL/', 'AQL/']);
  expect(await read(about(null))).toBeUndefined();
  expect(paths).toEqual(['tips/renditions/a/480']);
});

test('has no photo that is missing, too large or out of reach, and does not ask again', async () => {
  const { paths, read } = storageWith({
    'tips/renditions/large/480': new Uint8Array(150_001),
    'tips/renditions/far/480': new Error('Timeout'),
  });
  for (const id of ['missing', 'large', 'far', 'far']) expect(await read(about(id)), id).toBeUndefined();
  expect(paths).toHaveLength(3);
});
