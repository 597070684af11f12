import { suggestSlug } from '../domain/coverages.ts';
import { Refused, refusal } from '../i18n/refusals.ts';
import { settings as words } from '../i18n/settings.ts';
import { type CoverageLines, readTopicLines } from './coverages.ts';
import type { Backend } from './desk.ts';
import { reader } from './reader-client.server.ts';
import { dataOf } from './result.ts';

export type TopicPage = CoverageLines & { topic: { slug: string; name: string; description: string } };

/** A topic by its slug, or null. */
export const findTopic = (slug: string) =>
  dataOf(reader().from('topics').select('id, slug, name, description').eq('slug', slug).maybeSingle());

/**
 * A topic and its coverages, newest first; null when there is no such topic, or nothing before that place.
 * @param before the place that they stand before; without it, the newest
 */
export async function readTopicPage(slug: string, before?: string): Promise<TopicPage | null> {
  const topic = await findTopic(slug);
  const found = topic && (await readTopicLines(topic.id, before));
  if (!found || (before && found.lines.length === 0)) return null;
  return { topic, ...found };
}

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
  const slug = topic.slug || suggestSlug(topic.name);
  const known = await dataOf(
    backend.from('topics').select('name, description').eq('slug', slug).maybeSingle(),
  );
  // The same sent twice has made it already.
  if (known && (known.name !== topic.name || known.description !== topic.description))
    throw new Refused(refusal('invalid', { field: 'slug', sentence: words.topics.taken }));
  await dataOf(backend.rpc('save_topic', { op: crypto.randomUUID(), ...topic, slug }));
  return slug;
}
