import { tablesIn } from '../domain/body/edit.ts';
import { changedOnlyTables, type Merged, mergeBodies } from '../domain/body/merge-tables.ts';
import { writeBody } from '../domain/body/write-source.ts';
import type { DeskUpdate } from '../domain/updates.ts';
import { type FormMessages, formBody, formOf, tableWords, type UpdateForm } from './update-form.ts';

type Versions = {
  /** The version that both began with. */
  base: DeskUpdate;
  mine: UpdateForm;
  theirs: DeskUpdate;
};

/**
 * Merges a form with a newer version, if one of the two changed only the tables of the text. Tables merge by cell.
 * If both changed the same cell, the result has mine.
 * @param timeZone time zone of the coverage
 * @returns null if both changed something else
 */
export function mergeWithNewer(
  messages: FormMessages,
  { base, mine, theirs }: Versions,
  timeZone: string,
): Merged<UpdateForm> | null {
  const [before, newer] = [formOf(messages, base, timeZone), formOf(messages, theirs, timeZone)];
  // All three are read from their text, so that cells that look the same are the same.
  const were = formBody(before, timeZone, base);
  const own = formBody(mine, timeZone, base);
  const others = formBody(newer, timeZone, theirs);
  const merged = mergeBodies(were, own, others);
  if (!merged) return null;
  const isMineFrame = !(changedOnlyTables(were, own) && sameFields(before, mine));
  if (isMineFrame && !(changedOnlyTables(were, others) && sameFields(before, newer))) return null;
  const frame = isMineFrame ? mine : newer;
  const shown = isMineFrame ? own : others;
  const places = tablesIn(frame.body);
  const tables = merged.result.flatMap((block, index) =>
    block.type === 'table'
      ? [{ table: block, isChanged: JSON.stringify(block) !== JSON.stringify(shown[index]) }]
      : [],
  );
  if (places.length !== tables.length) return null;
  const body = tables.reduceRight((text, { table, isChanged }, index) => {
    const { from = 0, to = 0 } = places[index] ?? {};
    return isChanged
      ? text.slice(0, from) + writeBody([table], undefined, tableWords(messages, timeZone)) + text.slice(to)
      : text;
  }, frame.body);
  return { result: { ...frame, body, links: mine.links }, conflicts: merged.conflicts };
}

/** Whether two forms have the same fields besides their texts. */
function sameFields(
  { body: _, links: __, ...a }: UpdateForm,
  { body: ___, links: ____, ...b }: UpdateForm,
): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
