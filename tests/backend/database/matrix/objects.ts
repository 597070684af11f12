import { randomUUID } from 'node:crypto';
import { call } from '../../../support/newsroom.ts';
import { PIXEL } from '../../../support/photos.ts';
import type { MatrixContext } from './context.ts';
import type { Mark, Person } from './table.ts';

type Answer = { data: unknown; error: { message: string } | null };
type Try = (house: MatrixContext, who: Person) => PromiseLike<Answer>;

const PNG = { contentType: 'image/png' };
const bucket = ({ client }: MatrixContext, who: Person, name: string) => client(who).storage.from(name);

/** Announces a photo as the actor, where that is allowed. */
async function announced({ context, shown, client }: MatrixContext, who: Person): Promise<string> {
  const by = ['contributor', 'colleague', 'editor', 'owner'].includes(who)
    ? client(who)
    : context.actors.reporter.client;
  const photo_id = randomUUID();
  await call(by, 'save_photo', { photo_id, coverage_id: shown.coverage, content: { alt: 'A dam.' } });
  return `incoming/${photo_id}`;
}

/** Begins a resumable upload, which supabase-js does not offer. */
async function resume(
  { context, client }: MatrixContext,
  who: Person,
  name: string,
  path: string,
): Promise<Answer> {
  const { data } = await client(who).auth.getSession();
  const { url, publishableKey, secretKey } = context.backend;
  const key = who === 'server' ? secretKey : publishableKey;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const answer = await fetch(`${url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      apikey: key,
      authorization: `Bearer ${data.session?.access_token ?? key}`,
      'tus-resumable': '1.0.0',
      'upload-length': '10',
      'upload-metadata': `bucketName ${base64(name)},objectName ${base64(path)},contentType ${base64('image/png')}`,
    },
  });
  return { data: answer.status, error: answer.ok ? null : { message: String(answer.status) } };
}

/** Operations on existing objects in both buckets. */
const ON_WHAT_IS_THERE: Record<
  string,
  (house: MatrixContext, who: Person, name: string, path: string) => PromiseLike<Answer>
> = {
  download: (house, who, name, path) => bucket(house, who, name).download(path),
  info: (house, who, name, path) => bucket(house, who, name).info(path),
  list: (house, who, name) => bucket(house, who, name).list('incoming'),
  'sign for reading': (house, who, name, path) => bucket(house, who, name).createSignedUrl(path, 60),
  'sign for uploading': (house, who, name) =>
    bucket(house, who, name).createSignedUploadUrl(`incoming/${randomUUID()}`),
  overwrite: (house, who, name, path) => bucket(house, who, name).update(path, PIXEL, PNG),
  'upload anything': (house, who, name) =>
    bucket(house, who, name).upload(`renditions/${randomUUID()}/480`, PIXEL, PNG),
  'upload anything, resumable': (house, who, name) => resume(house, who, name, `incoming/${randomUUID()}`),
  copy: (house, who, name, path) => bucket(house, who, name).copy(path, `incoming/${randomUUID()}`),
  move: async (house, who, name, path) => {
    const there = `incoming/${randomUUID()}`;
    const moved = await bucket(house, who, name).move(path, there);
    if (!moved.error) await bucket(house, who, name).move(there, path);
    return moved;
  },
  remove: (house, who, name, path) => bucket(house, who, name).remove([path]),
};

const THERE: Record<string, (house: MatrixContext) => string> = {
  photos: ({ shown }) => `incoming/${shown.photo}`,
  tips: ({ tipPhoto }) => `incoming/${tipPhoto}`,
};

/** Operations for the rows of "Buckets". */
export const OBJECTS: Record<string, Try> = {
  '`photos`: upload the photo that one announced': async (house, who) =>
    bucket(house, who, 'photos').upload(await announced(house, who), PIXEL, PNG),
  '`photos`: the same, resumable': async (house, who) =>
    resume(house, who, 'photos', await announced(house, who)),
  '`photos`: upload the photo that the reporter announced': async (house, who) =>
    bucket(house, who, 'photos').upload(await announced(house, 'reporter'), PIXEL, PNG),
  ...Object.fromEntries(
    Object.entries(THERE).flatMap(([name, path]) =>
      Object.entries(ON_WHAT_IS_THERE).map(([act, attempt]): [string, Try] => [
        `\`${name}\`: ${act}`,
        (house, who) => attempt(house, who, name, path(house)),
      ]),
    ),
  ),
  'buckets: list': ({ client }, who) => client(who).storage.listBuckets(),
  'buckets: make': ({ client }, who) =>
    client(who).storage.createBucket(`b-${randomUUID()}`, { public: true }),
  'buckets: change': ({ client }, who) => client(who).storage.updateBucket('photos', { public: false }),
};

/** Stores the objects that the operations use. */
export async function layOut(house: MatrixContext): Promise<void> {
  for (const [name, path] of Object.entries(THERE)) {
    const { error } = await bucket(house, 'server', name).upload(path(house), PIXEL, PNG);
    if (error) throw error;
  }
}

export async function tries(house: MatrixContext, who: Person, attempt: Try): Promise<Mark> {
  const { data, error } = await attempt(house, who);
  if (error) return '–';
  return Array.isArray(data) && data.length === 0 ? '○' : '●';
}
