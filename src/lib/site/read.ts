import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';

/** The newsroom that publishes this. */
export type Site = { name: string; tagline: string; language: string; publisher: string; contact: string };

export async function readSite(): Promise<Site> {
  return dataOf(reader().from('site').select('name, tagline, language, publisher, contact').single());
}
