import { suggestSlug } from '../domain/coverages.ts';
import { Refused, refusal } from '../i18n/refusals.ts';
import { type CoverageLines, readTopicLines } from './coverages.ts';
import { readerClient } from './reader-client.server.ts';
import { type BackendClient, dataOf } from './result.ts';

type TopicPage = CoverageLines & { topic: { slug: string; name: string; description: string } };

/** Finds a topic by its slug, or returns null. */
export const findTopic = (slug: string) =>
  dataOf(readerClient().from('topics').select('id, slug, name, description').eq('slug', slug).maybeSingle());

/**
 * Returns a topic and its coverages, newest first; null if there is no such topic or page.
 * @param before `before` parameter of the page; without it, the newest page
 */
export async function readTopicPage(slug: string, before?: string): Promise<TopicPage | null> {
  const topic = await findTopic(slug);
  const page = topic && (await readTopicLines(topic.id, before));
  if (!page || (before && page.lines.length === 0)) return null;
  return { topic, ...page };
}

export type Topic = { slug: string; name: string; description: string };

/** Maximum number of topics on the settings page. No newsroom has as many. */
const MAX_TOPICS = 500;

/** Returns all topics by name. */
export async function readTopics(backend: BackendClient): Promise<Topic[]> {
  return dataOf(backend.from('topics').select('slug, name, description').order('name').limit(MAX_TOPICS));
}

/**
 * Changes the name and description of a topic.
 * @throws Refused naming the invalid field
 */
export async function updateTopic(backend: BackendClient, topic: Topic): Promise<void> {
  await dataOf(backend.rpc('save_topic', { idempotency_key: crypto.randomUUID(), ...topic }));
}

/**
 * Creates a topic. Without a slug, one is made from the name.
 * @returns its slug
 * @throws Refused naming `slug` if it is in use
 */
export async function createTopic(backend: BackendClient, topic: Topic): Promise<string> {
  const slug = topic.slug || suggestSlug(topic.name);
  const existing = await dataOf(
    backend.from('topics').select('name, description').eq('slug', slug).maybeSingle(),
  );
  // The same topic may have been submitted twice.
  if (existing && (existing.name !== topic.name || existing.description !== topic.description))
    throw new Refused(
      refusal('invalid', { field: 'slug', message: ({ settings }) => settings.topics.slugInUse }),
    );
  await dataOf(backend.rpc('save_topic', { idempotency_key: crypto.randomUUID(), ...topic, slug }));
  return slug;
}
