import { useEffect, useMemo, useState } from 'react';
import { readRoster } from '../../lib/data/desk.ts';
import type { DeskByline } from '../../lib/domain/updates.ts';
import { useShared } from '../shared/use-shared.ts';
import type { DeskContext } from './context.ts';
import { type Desk, sharedDesk } from './desk.ts';
import { useMessages } from './messages.tsx';
import type { Task } from './task.ts';

/** The desk that all islands of this page share. */
export function useDesk(context: DeskContext): Desk {
  const messages = useMessages();
  return useState(() => sharedDesk(messages, context))[0];
}

/**
 * Loads data when `key` changes, and again when it changes during loading.
 * @param key version of the data; null to load nothing
 * @param load runs under `task`, which holds its error; it is not retried
 */
export function useReload(task: Task, key: string | null, load: () => Promise<void>): void {
  const { step } = useShared(task.$state);
  const [loaded, setLoaded] = useState<string | null>(null);
  useEffect(() => {
    if (key === loaded || step === 'doing') return;
    setLoaded(key);
    if (key !== null) void task.run(load);
  }, [task, key, loaded, step, load]);
}

export type Names = {
  known: ReadonlyMap<string, DeskByline>;
  /** Whether reading the names failed. */
  isMissing: boolean;
};

/**
 * People who can be bylines of an update.
 * @param bylines stored bylines of the update
 * @param isNeeded reads the names when true
 */
export function useNames(
  { person, $coverage, backend }: Pick<Desk, 'person' | '$coverage' | 'backend'>,
  bylines: DeskByline[],
  isNeeded: boolean,
): Names {
  const { id } = $coverage.get();
  const [read, setRead] = useState<DeskByline[] | 'missing' | null>(null);
  const isFetchDue = isNeeded && read === null;
  useEffect(() => {
    if (!isFetchDue) return;
    let isCancelled = false;
    const store = (names: DeskByline[] | 'missing') => !isCancelled && setRead(names);
    backend.read((client) => readRoster(client, id)).then(store, () => store('missing'));
    return () => {
      isCancelled = true;
    };
  }, [backend, id, isFetchDue]);
  // A failed read is repeated the next time the names are needed.
  useEffect(() => {
    if (!isNeeded) setRead((before) => (before === 'missing' ? null : before));
  }, [isNeeded]);
  return useMemo(() => {
    const staff = Array.isArray(read) ? read : [];
    const known = [person, ...bylines, ...staff].map((person) => [person.id, person] as const);
    return { known: new Map(known), isMissing: read === 'missing' };
  }, [person, bylines, read]);
}
