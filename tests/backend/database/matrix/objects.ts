import { randomUUID } from 'node:crypto';
import { call } from '../../../support/newsroom.ts';
import { PIXEL } from '../../../support/photos.ts';
import type { MatrixContext } from './context.ts';
import type { Mark, Person } from './table.ts';

type Answer = { data: unknown; error: { message: string } | null };
type Try = (matrix: MatrixContext, who: Person) => PromiseLike<Answer>;

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
  (matrix: MatrixContext, who: Person, name: string, path: string) => PromiseLike<Answer>
> = {
  download: (matrix, who, name, path) => bucket(matrix, who, name).download(path),
  info: (matrix, who, name, path) => bucket(matrix, who, name).info(path),
  list: (matrix, who, name) => bucket(matrix, who, name).list('incoming'),
  'sign for reading': (matrix, who, name, path) => bucket(matrix, who, name).createSignedUrl(path, 60),
  'sign for uploading': (matrix, who, name) =>
    bucket(matrix, who, name).createSignedUploadUrl(`incoming/${randomUUID()}`),
  overwrite: (matrix, who, name, path) => bucket(matrix, who, name).update(path, PIXEL, PNG),
  'upload anything': (matrix, who, name) =>
    bucket(matrix, who, name).upload(`renditions/${randomUUID()}/480`, PIXEL, PNG),
  'upload anything, resumable': (matrix, who, name) => resume(matrix, who, name, `incoming/${randomUUID()}`),
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
};

/** Operations for the rows of "Buckets". */
export const OBJECTS: Record<string, Try> = {
  '`photos`: upload the photo that one announced': async (matrix, who) =>
    bucket(matrix, who, 'photos').upload(await announced(matrix, who), PIXEL, PNG),
  '`photos`: the same, resumable': async (matrix, who) =>
    resume(matrix, who, 'photos', await announced(matrix, who)),
  '`photos`: upload the photo that the reporter announced': async (matrix, who) =>
    bucket(matrix, who, 'photos').upload(await announced(matrix, 'reporter'), PIXEL, PNG),
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
    const { error } = await bucket(matrix, 'server', name).upload(path(matrix), PIXEL, PNG);
    if (error) throw error;
  }
}

export async function tries(matrix: MatrixContext, who: Person, attempt: Try): Promise<Mark> {
  const { data, error } = await attempt(matrix, who);
  if (error) return '–';
  return Array.isArray(data) && data.length === 0 ? '○' : '●';
}
