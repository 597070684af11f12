import { randomUUID } from 'node:crypto';
import { anonClient } from './clients.ts';
import { takePhoto } from './photos.ts';
import type { TestSite } from './site.ts';

type Told = {
  body: string;
  /** The slug of the coverage that it is about. */
  coverage?: string;
  name?: string;
  contact?: string;
  may_name?: boolean;
  /** A field that people do not see: whoever fills it in is held. */
  website?: string;
};

type Site = Pick<TestSite, 'url' | 'publishableKey' | 'secretKey'>;

/** Tells the newsroom something, as a visitor's form does, and answers the tip's id. */
export async function sendTip(site: Site, told: Told): Promise<string> {
  const { id } = await take(site, told);
  return id;
}

/** The same with a photo, which is ready to be looked at. */
export async function sendTipWithPhoto(site: Site, told: Told): Promise<{ id: string; photo: string }> {
  const bytes = await takePhoto(900, 600);
  const photo = { id: randomUUID(), type: 'image/jpeg', size: bytes.length };
  const { id, upload } = await take(site, { ...told, photo });
  if (!upload) throw new Error('Nobody said where the photo goes.');
  const { error } = await anonClient(site)
    .storage.from(upload.bucket)
    .uploadToSignedUrl(upload.path, upload.token, bytes, { contentType: 'image/jpeg' });
  if (error) throw error;
  const answer = await fetch(`${site.url}/api/photos/${photo.id}`, {
    method: 'POST',
    headers: { origin: site.url },
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return { id, photo: photo.id };
}

type Taken = { upload: { bucket: string; path: string; token: string } | null };

async function take(site: Site, told: Told & { photo?: object }): Promise<Taken & { id: string }> {
  const id = randomUUID();
  const { data, error } = await anonClient(site).functions.invoke('submit-tip', { body: { id, ...told } });
  if (error) throw new Error(JSON.stringify(await error.context.json()));
  return { id, ...(data as Taken) };
}
