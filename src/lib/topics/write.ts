import { suggestedSlug } from '../coverage/slug.ts';
import type { Backend } from '../desk/read.ts';
import { Refused, refusal } from '../http/errors.ts';
import { dataOf } from '../supabase/answer.ts';
import { settings as words } from '../text/settings.ts';

export type Topic = { slug: string; name: string; description: string };

/** Topics that a page of settings offers; more than a newsroom has. */
const MOST = 500;

/** Every topic, by name. */
export async function readTopics(backend: Backend): Promise<Topic[]> {
  return dataOf(backend.from('topics').select('slug, name, description').order('name').limit(MOST));
}

/** Names and describes a topic that there is. @throws Refused naming the field that breaks a rule */
export async function changeTopic(backend: Backend, topic: Topic): Promise<void> {
  await dataOf(backend.rpc('save_topic', { op: crypto.randomUUID(), ...topic }));
}

/**
 * Makes a topic; without a slug, by its name.
 * @returns its slug
 * @throws Refused naming `slug` where there is such a topic
 */
export async function makeTopic(backend: Backend, topic: Topic): Promise<string> {
  const slug = topic.slug || suggestedSlug(topic.name);
  const known = await dataOf(
    backend.from('topics').select('name, description').eq('slug', slug).maybeSingle(),
  );
  // The same sent twice has made it already.
  if (known && (known.name !== topic.name || known.description !== topic.description))
    throw new Refused(refusal('invalid', { field: 'slug', sentence: words.topics.taken }));
  await dataOf(backend.rpc('save_topic', { op: crypto.randomUUID(), ...topic, slug }));
  return slug;
}
