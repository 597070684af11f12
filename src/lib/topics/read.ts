import { type CoverageLines, readTopicLines } from '../coverage/lines.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';

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
