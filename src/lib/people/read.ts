import { cutList, type Room, readBefore } from '../lists/cut.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import { readLinesById } from '../updates/read.ts';

/** Updates on a person's page. */
const ROOM: Room = { least: 30, most: 60 };

/**
 * Somebody whose byline readers have seen, and their updates, newest first; null when there is no such person, or nothing before that
 * place.
 * @param before the place that they stand before; without it, the newest
 */
export async function readPersonPage(handle: string, before?: string) {
  const from = before === undefined ? {} : readBefore(before);
  const person =
    from &&
    (await dataOf(
      reader().from('people').select('id, handle, display_name, bio').eq('handle', handle).maybeSingle(),
    ));
  if (!person) return null;
  const rows = await dataOf(
    reader().rpc('newest_by', { person_id: person.id, most: ROOM.most + 1, ...from }),
  );
  if (before && rows.length === 0) return null;
  const places = rows.map(({ update_id, place }) => ({ id: update_id, place }));
  const { shown, before: older } = cutList(places, ROOM);
  const updates = await readLinesById(places.slice(0, shown).map(({ id }) => id));
  return { person, updates, older };
}

type PersonsUpdate = Awaited<ReturnType<typeof readLinesById>>[number];

/** Updates by the coverage they stand in, that of the newest update first. */
export function groupByCoverage(updates: PersonsUpdate[]) {
  const groups = Map.groupBy(updates, ({ coverage }) => coverage.slug);
  return [...groups.values()].flatMap((group) =>
    group[0] ? [{ coverage: group[0].coverage, updates: group }] : [],
  );
}
