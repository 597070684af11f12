import { type Draft, draftKey } from './kept.ts';
import { tell } from './news.ts';
import { reading, writing } from './shelf-here.ts';

/** What of a draft its writer gives; when `base` is left out, what is kept stays as it is. */
export type Written = Pick<Draft, 'person' | 'coverage' | 'place' | 'id' | 'form' | 'before'> &
  Partial<Pick<Draft, 'base' | 'aside'>>;

/**
 * Keeps words on this device.
 * @param seen the draft as this page knows it. When another page has written there since, its words stay where they
 *   are, and these get a place beside them
 * @returns the draft as it is kept now
 */
export async function keepDraft(written: Written, seen: Draft | null): Promise<Draft> {
  const draft = await writing(async (hand) => {
    const usual = seen?.key ?? draftKey(written);
    const there = await hand.get('drafts', usual);
    const isOthers = there !== undefined && there.stamp !== seen?.stamp;
    const stamp = crypto.randomUUID();
    const made: Draft = {
      ...written,
      base: written.base ?? there?.base ?? seen?.base ?? { version: versionOf(written.before), press: null },
      key: isOthers ? `${draftKey(written)}/${stamp}` : usual,
      isSaved: false,
      refusal: written.base ? null : (there?.refusal ?? null),
      stamp,
      at: Date.now(),
    };
    await hand.put('drafts', made.key, made);
    return made;
  });
  tell({ of: 'drafts', person: draft.person });
  return draft;
}

/** The version of an update that was opened again; null of a new one. */
function versionOf(before: unknown): number | null {
  const isVersioned = typeof before === 'object' && before !== null && 'version' in before;
  return isVersioned && typeof before.version === 'number' ? before.version : null;
}

/** All that a person has begun to write here, the newest last. @param coverage its id; without it, of all */
export async function readDrafts(person: string, coverage?: string): Promise<Draft[]> {
  const all = await reading((hand) => hand.all('drafts'));
  return all
    .filter((draft) => draft.person === person && (!coverage || draft.coverage === coverage))
    .sort((a, b) => a.at - b.at);
}

export const readDraft = (key: string): Promise<Draft | undefined> =>
  reading((hand) => hand.get('drafts', key));

/** Forgets a draft, unless another page has written there since. */
export async function dropDraft(seen: Pick<Draft, 'key' | 'stamp' | 'person'>): Promise<void> {
  await writing(async (hand) => {
    const there = await hand.get('drafts', seen.key);
    if (there?.stamp === seen.stamp) await hand.drop('drafts', seen.key);
  });
  tell({ of: 'drafts', person: seen.person });
}
