import { randomUUID } from 'node:crypto';
import { makeMedia, registerMedia } from '../../../support/media.ts';
import { call } from '../../../support/newsroom.ts';
import { PIXEL } from '../../../support/photos.ts';
import type { MatrixContext } from './context.ts';
import type { Mark, Person } from './table.ts';

type Answer = { data: unknown; error: { message: string } | null };
type Try = (matrix: MatrixContext, who: Person) => PromiseLike<Answer>;

/** A file that each bucket takes, its type, and the folder of new files. */
const FILES: Record<string, { bytes: Buffer; contentType: string; folder: string }> = {
  photos: { bytes: PIXEL, contentType: 'image/png', folder: 'incoming/' },
  tips: { bytes: PIXEL, contentType: 'image/png', folder: 'incoming/' },
  media: { bytes: makeMedia('mp3'), contentType: 'audio/mpeg', folder: '' },
};
const fileOf = (name: string) => FILES[name] as (typeof FILES)[string];

/** Uploads the file of a bucket. */
const upload = (matrix: MatrixContext, who: Person, name: string, path: string) => {
  const { bytes, contentType } = fileOf(name);
  return bucket(matrix, who, name).upload(path, bytes, { contentType });
};
const bucket = ({ client }: MatrixContext, who: Person, name: string) => client(who).storage.from(name);

/** The actor, or the reporter where the actor may write nothing. */
const writer = ({ context, client }: MatrixContext, who: Person) =>
  ['contributor', 'colleague', 'editor', 'owner'].includes(who)
    ? client(who)
    : context.actors.reporter.client;

/** Registers a recording as the actor, where that is allowed. */
async function registered(matrix: MatrixContext, who: Person): Promise<string> {
  // Earlier files of the matrix do not count towards the limit of a day.
  await matrix.backend.sql(
    "update public.media_files set created_at = now() - interval '1 day' where ready_at is null returning id",
  );
  return registerMedia(writer(matrix, who), matrix.shown.coverage, 'mp3');
}

/** Announces a photo as the actor, where that is allowed. */
async function announced(matrix: MatrixContext, who: Person): Promise<string> {
  const photo_id = randomUUID();
  await call(writer(matrix, who), 'save_photo', {
    photo_id,
    coverage_id: matrix.shown.coverage,
    content: { alt: 'A dam.' },
  });
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
      'upload-metadata': `bucketName ${base64(name)},objectName ${base64(path)},contentType ${base64(fileOf(name).contentType)}`,
    },
  });
  return { data: answer.status, error: answer.ok ? null : { message: String(answer.status) } };
}

/** Operations on existing objects in each bucket. */
const ON_WHAT_IS_THERE: Record<
  string,
  (matrix: MatrixContext, who: Person, name: string, path: string) => PromiseLike<Answer>
> = {
  download: (matrix, who, name, path) => bucket(matrix, who, name).download(path),
  info: (matrix, who, name, path) => bucket(matrix, who, name).info(path),
  list: (matrix, who, name) => bucket(matrix, who, name).list(fileOf(name).folder),
  'sign for reading': (matrix, who, name, path) => bucket(matrix, who, name).createSignedUrl(path, 60),
  'sign for uploading': (matrix, who, name) =>
    bucket(matrix, who, name).createSignedUploadUrl(`${fileOf(name).folder}${randomUUID()}`),
  overwrite: (matrix, who, name, path) => {
    const { bytes, contentType } = fileOf(name);
    return bucket(matrix, who, name).update(path, bytes, { contentType });
  },
  'upload anything': (matrix, who, name) => upload(matrix, who, name, `renditions/${randomUUID()}/480`),
  'upload anything, resumable': (matrix, who, name) =>
    resume(matrix, who, name, `${fileOf(name).folder}${randomUUID()}`),
  copy: (matrix, who, name, path) => bucket(matrix, who, name).copy(path, `incoming/${randomUUID()}`),
  move: async (matrix, who, name, path) => {
    const there = `incoming/${randomUUID()}`;
    const moved = await bucket(matrix, who, name).move(path, there);
    if (!moved.error) await bucket(matrix, who, name).move(there, path);
    return moved;
  },
  remove: (matrix, who, name, path) => bucket(matrix, who, name).remove([path]),
};

const THERE: Record<string, (matrix: MatrixContext) => string> = {
  photos: ({ shown }) => `incoming/${shown.photo}`,
  tips: ({ tipPhoto }) => `incoming/${tipPhoto}`,
  media: ({ file }) => file,
};

/** Operations for the rows of "Buckets". */
export const OBJECTS: Record<string, Try> = {
  '`photos`: upload the photo that one announced': async (matrix, who) =>
    upload(matrix, who, 'photos', await announced(matrix, who)),
  '`photos`: the same, resumable': async (matrix, who) =>
    resume(matrix, who, 'photos', await announced(matrix, who)),
  '`photos`: upload the photo that the reporter announced': async (matrix, who) =>
    upload(matrix, who, 'photos', await announced(matrix, 'reporter')),
  '`media`: upload the file that one registered': async (matrix, who) =>
    upload(matrix, who, 'media', await registered(matrix, who)),
  '`media`: the same, resumable': async (matrix, who) =>
    resume(matrix, who, 'media', await registered(matrix, who)),
  '`media`: upload the file that the reporter registered': async (matrix, who) =>
    upload(matrix, who, 'media', await registered(matrix, 'reporter')),
  ...Object.fromEntries(
    Object.entries(THERE).flatMap(([name, path]) =>
      Object.entries(ON_WHAT_IS_THERE).map(([act, attempt]): [string, Try] => [
        `\`${name}\`: ${act}`,
        (matrix, who) => attempt(matrix, who, name, path(matrix)),
      ]),
    ),
  ),
  'buckets: list': ({ client }, who) => client(who).storage.listBuckets(),
  'buckets: make': ({ client }, who) =>
    client(who).storage.createBucket(`b-${randomUUID()}`, { public: true }),
  'buckets: change': ({ client }, who) => client(who).storage.updateBucket('photos', { public: false }),
};

/** Stores the objects that the operations use. */
export async function layOut(matrix: MatrixContext): Promise<void> {
  for (const [name, path] of Object.entries(THERE)) {
    const { error } = await upload(matrix, 'server', name, path(matrix));
    if (error) throw error;
  }
}

export async function tries(matrix: MatrixContext, who: Person, attempt: Try): Promise<Mark> {
  const { data, error } = await attempt(matrix, who);
  if (error) return '–';
  return Array.isArray(data) && data.length === 0 ? '○' : '●';
}
