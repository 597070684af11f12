import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';

/** The newsroom that publishes this. */
export type Site = { name: string; tagline: string; language: string; publisher: string; contact: string };

let last: Site | null = null;

export async function readSite(): Promise<Site> {
  last = await dataOf(reader().from('site').select('name, tagline, language, publisher, contact').single());
  return last;
}

/** For pages that say why there is nothing: they cost no question while an answer is remembered, and need none. */
export async function rememberedSite(): Promise<Site | null> {
  return last ?? readSite().catch(() => null);
}
