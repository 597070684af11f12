import { afterAll, beforeAll } from 'vitest';
import { auth } from './auth.ts';
import { data } from './data.ts';
import { functions } from './functions.ts';
import { openProject, type Project } from './project.ts';
import { realtime } from './realtime.ts';
import { resumable } from './resumable.ts';
import { storage } from './storage.ts';

/*
 * A backend of the product, judged by the unmodified clients alone: supabase-js and tus-js-client. Ours by default; any
 * project by three variables:
 *
 *   CONFORMANCE_URL=https://….supabase.co CONFORMANCE_PUBLISHABLE_KEY=sb_publishable_… \
 *   CONFORMANCE_SECRET_KEY=sb_secret_… npx vitest run --project backend tests/backend/conformance
 *
 * What such a project needs first: `supabase db push` (the migrations), `supabase config push` (sessions, buckets,
 * functions that check tokens themselves), `supabase functions deploy` (submit-tip, unfurl-link), tokens signed with an
 * asymmetric key, channels that anybody may open, and the limits of auth of config.toml.
 *
 * It makes people, a bucket and files of its own and removes them. What nobody can remove stays: one coverage, a draft,
 * with a few drafts in it; two announced photos, which the sweep forgets after a day; one tip a run.
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
