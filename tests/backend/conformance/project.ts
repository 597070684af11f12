import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { anonClient, serviceClient, startBackend } from '../../support/backend.ts';
import { call, type Role } from '../../support/newsroom.ts';

/** A person that the tests created, with a signed-in client. */
export type Person = { id: string; email: string; password: string; client: SupabaseClient };

/** The tested backend, and what the tests created there. */
export type Project = {
  url: string;
  publishableKey: string;
  secretKey: string;
  /** A client without a session. */
  anon(): SupabaseClient;
  /** A client with the secret key. */
  server: SupabaseClient;
  /** Creates a person with a confirmed address, and deletes it at the end. */
  createUser(role?: Role): Promise<Person>;
  /** Signs a person in again. */
  signIn(person: Pick<Person, 'email' | 'password'>): Promise<SupabaseClient>;
  editor: Person;
  reporter: Person;
  reader: Person;
  /** A draft of the editor. It stays, because coverages cannot be deleted. */
  draft: { id: string; slug: string };
  /** An empty private bucket. */
  bucket: string;
  /** Removes what can be removed, and stops what was started. */
  close(): Promise<void>;
};

/** The project of the three variables, or the embedded backend on a new folder. */
async function findProject() {
  const { CONFORMANCE_URL: url, CONFORMANCE_PUBLISHABLE_KEY, CONFORMANCE_SECRET_KEY } = process.env;
  // Without the access list, as in any Supabase project.
  if (!url)
    return startBackend({ accessList: false, environment: { EMBEDDED_SUPABASE_PUBLIC_CHANNELS: 'on' } });
  if (!CONFORMANCE_PUBLISHABLE_KEY || !CONFORMANCE_SECRET_KEY) {
    throw new Error(
      'CONFORMANCE_URL needs CONFORMANCE_PUBLISHABLE_KEY and CONFORMANCE_SECRET_KEY beside it.',
    );
  }
  return {
    url,
    publishableKey: CONFORMANCE_PUBLISHABLE_KEY,
    secretKey: CONFORMANCE_SECRET_KEY,
    stop: async () => 0,
  };
}

export async function openProject(): Promise<Project> {
  const backend = await findProject();
  const { url, publishableKey, secretKey } = backend;
  const server = serviceClient(backend);
  const people: Person[] = [];
  const anon = () => anonClient(backend);

  const signIn: Project['signIn'] = async (credentials) => {
    const client = anon();
    const { error } = await client.auth.signInWithPassword(credentials);
    if (error) throw error;
    return client;
  };
  const createUser: Project['createUser'] = async (role = 'reader') => {
    const credentials = { email: `conformance-${randomUUID()}@example.com`, password: randomUUID() };
    const { data, error } = await server.auth.admin.createUser({ ...credentials, email_confirm: true });
    if (error) throw error;
    const person = { id: data.user.id, ...credentials, client: await signIn(credentials) };
    people.push(person);
    if (role !== 'reader') await call(server, 'set_role', { person_id: person.id, role });
    return person;
  };

  const [editor, reporter, reader] = await Promise.all([
    createUser('editor'),
    createUser('reporter'),
    createUser(),
  ]);
  const draft = { id: randomUUID(), slug: `conformance-${randomUUID()}` };
  const content = { slug: draft.slug, headline: 'Conformance', kicker: 'Not for readers' };
  await call(editor.client, 'create_coverage', { coverage_id: draft.id, content });
  const bucket = `conformance-${randomUUID()}`;
  const { error } = await server.storage.createBucket(bucket, { public: false, fileSizeLimit: '10MB' });
  if (error) throw error;

  return {
    ...{
      url,
      publishableKey,
      secretKey,
      anon,
      server,
      createUser,
      signIn,
      editor,
      reporter,
      reader,
      draft,
      bucket,
    },
    async close() {
      await deleteWithFiles(server, bucket);
      for (const { id } of people) await server.auth.admin.deleteUser(id);
      await backend.stop();
    },
  };
}

/**
 * Deletes a bucket with its files. Removes the files itself, because a hosted project only queues the emptying of a
 * bucket, which may take an hour.
 */
export async function deleteWithFiles({ storage }: SupabaseClient, bucket: string): Promise<void> {
  const files = storage.from(bucket);
  for (;;) {
    const { data, error } = await files.listV2({ limit: 1000 });
    if (error) throw error;
    if (data.objects.length === 0) break;
    const removed = await files.remove(data.objects.map(({ name }) => name));
    if (removed.error) throw removed.error;
  }
  await storage.deleteBucket(bucket);
}

/** The bytes of a download. */
export const bytesOf = async (file: Blob | null) => Buffer.from(await (file ?? new Blob()).arrayBuffer());

/** A remote project may be slow. */
export const SOON = { timeout: 15_000 };
