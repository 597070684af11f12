import type { Session } from '../auth/session.server.ts';
import { dataOf } from '../supabase/answer.ts';

/** All that is kept about whoever asks, as the database tells it, in a text to be read by people too. @throws Refused */
export async function readMyData(backend: Session['backend']): Promise<string> {
  return `${JSON.stringify(await dataOf(backend.rpc('my_data')), null, 2)}\n`;
}

/** What the file is called, of this day. */
export const myDataName = (handle: string, now: Date) => `${handle}-${now.toISOString().slice(0, 10)}.json`;
