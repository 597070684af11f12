import { afterAll, beforeAll } from 'vitest';
import { auth } from './auth.ts';
import { data } from './data.ts';
import { functions } from './functions.ts';
import { openProject, type Project } from './project.ts';
import { realtime } from './realtime.ts';
import { resumable } from './resumable.ts';
import { storage } from './storage.ts';

/*
 * Checks a backend with the unmodified clients supabase-js and tus-js-client. Uses the embedded backend by default.
 * Three variables select any other project:
 * CONFORMANCE_URL=https://….supabase.co CONFORMANCE_PUBLISHABLE_KEY=sb_publishable_… \
 * CONFORMANCE_SECRET_KEY=sb_secret_… npx vitest run --project backend tests/backend/conformance
 * Such a project needs `supabase db push` (migrations), `supabase config push` (sessions, buckets, functions that
 * check tokens themselves), `supabase functions deploy` (submit-tip, unfurl-link), tokens signed with an asymmetric
 * key, public channels, and the auth limits of config.toml.
 * The tests create people, a bucket and files, and remove them. Some rows cannot be removed: a draft coverage with
 * a few drafts, two announced photos, which are deleted after a day, and one tip for each run.
 */

let project: Project;
beforeAll(async () => {
  project = await openProject();
});
afterAll(() => project.close());
const judged = () => project;

auth(judged);
data(judged);
realtime(judged);
storage(judged);
resumable(judged);
functions(judged);
