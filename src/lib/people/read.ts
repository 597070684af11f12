import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import { readUpdatesOf } from '../updates/read.ts';

/** Updates on a person's page. */
const SHOWN = 30;

/** Somebody whose byline readers have seen, and their newest updates; null when there is no such person. */
export async function readPersonPage(handle: string) {
  const person = await dataOf(
    reader().from('people').select('id, handle, display_name, bio').eq('handle', handle).maybeSingle(),
  );
  return person && { person, updates: await readUpdatesOf(person.id, SHOWN) };
}

type PersonsUpdate = Awaited<ReturnType<typeof readUpdatesOf>>[number];

/** Updates by the coverage they stand in, that of the newest update first. */
export function groupByCoverage(updates: PersonsUpdate[]) {
  const groups = Map.groupBy(updates, ({ coverage }) => coverage.slug);
  return [...groups.values()].flatMap((group) =>
    group[0] ? [{ coverage: group[0].coverage, updates: group }] : [],
  );
}
