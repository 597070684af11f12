import type { ReadableAtom } from 'nanostores';
import type { DeskCoverage } from '../../lib/domain/desk.ts';
import { onOutboxEvent } from '../outbox/broadcast.ts';
import { deleteDesks, devicePerson, readDesk, readDesks, saveDesk } from '../outbox/drafts.ts';
import type { DeskContext } from './context.ts';
import type { DeskConnection } from './refetch.ts';

type Around = { $coverage: ReadableAtom<DeskCoverage>; $connection: ReadableAtom<DeskConnection | null> };

/**
 * Stores what a desk needs to open offline, and updates it. Deletes it when the person loses access. Returns a function
 * that stops it.
 */
export function saveDeskData(context: DeskContext, { $coverage, $connection }: Around): () => void {
  const person = context.person.id;
  const save = (coverage: DeskCoverage) =>
    // Without storage the desk does not open offline.
    void saveDesk(person, coverage.slug, { ...context, coverage }).catch(() => undefined);
  const remove = () => void deleteDesks(person, [$coverage.get().slug]).catch(() => undefined);
  const stops = [
    $coverage.subscribe(save),
    $connection.listen((now) => {
      if (now?.state === 'not_yours') remove();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Stored data for an address of the desk. */
export type OfflineDeskResult = {
  /** Data of the coverage at this address. */
  context?: DeskContext;
  /** Desks that the person has opened on this device. */
  known: KnownDesk[];
};
export type KnownDesk = { slug: string; headline: string; language: string };

const ONE_DESK = /^\/desk\/([^/]+)$/;

/** Reads the stored desks of the person who is signed in on this device; none after signing out. */
export async function readOfflineDesk(path: string): Promise<OfflineDeskResult> {
  try {
    const person = await devicePerson();
    if (!person) return { known: [] };
    const slug = ONE_DESK.exec(path)?.[1];
    const context = slug && ((await readDesk(person, slug)) as DeskContext | undefined);
    const desks = (await readDesks(person)) as DeskContext[];
    const known = desks.map(({ coverage: { slug, headline, language } }) => ({ slug, headline, language }));
    return { known, ...(context ? { context } : {}) };
  } catch {
    // Without storage there are no stored desks.
    return { known: [] };
  }
}

/** Calls back when a person signs in or out on this device. Returns a function that stops it. */
export const onDeskChange = (callback: () => void): (() => void) =>
  onOutboxEvent(({ type }) => {
    if (type === 'device') callback();
  });
