import { type CoverageLine, readCoverageLines } from '../coverage/lines.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';

export type TopicPage = {
  topic: { slug: string; name: string; description: string };
  coverages: CoverageLine[];
};

/** A topic by its slug, or null. */
export const findTopic = (slug: string) =>
  dataOf(reader().from('topics').select('id, slug, name, description').eq('slug', slug).maybeSingle());

/** A topic and its coverages, newest first; null when there is no such topic. */
export async function readTopicPage(slug: string): Promise<TopicPage | null> {
  const topic = await findTopic(slug);
  return topic && { topic, coverages: await readCoverageLines({ topicId: topic.id }) };
}
