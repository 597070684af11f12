import { useStore } from '@nanostores/react';
import type { ReadableAtom } from 'nanostores';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { DeskByline } from '../../lib/domain/updates.ts';
import type { DeskContext } from './context.ts';
import { type Desk, deskOf } from './desk.ts';
import type { Task } from './task.ts';

/**
 * The value of a store, as every part of the desk reads it. While an island takes over what the server has rendered it
 * is the value that the server had: an island that starts late finds stores that others have changed meanwhile, and
 * what it would make of those is not what stands in the page. Right after that it is the store's value.
 * @param served what the server had, where that is not what the store began with; the same object at every rendering
 */
export function useShared<Value>(store: ReadableAtom<Value>, served?: Value): Value {
  return useStore(store, { ssr: served === undefined ? 'initial' : () => served });
}

/** The desk that all islands of this page share. */
export function useDesk(context: DeskContext): Desk {
  return useState(() => deskOf(context))[0];
}

/**
 * Loads something whenever what it is of has changed, and once more when that changes while it is being loaded.
 * @param of what is loaded, as it stands now; null while nothing is wanted
 * @param load asked under `task`, whose state tells of a refusal; it is not tried again by itself
 */
export function useFresh(task: Task, of: string | null, load: () => Promise<void>): void {
  const { step } = useShared(task.$state);
  const [loaded, setLoaded] = useState<string | null>(null);
  useEffect(() => {
    if (of === loaded || step === 'doing') return;
    setLoaded(of);
    if (of !== null) void task.run(load);
  }, [task, of, loaded, step, load]);
}

/** So long after a finger is up its press may still come: milliseconds. */
const PRESS_MS = 400;

/**
 * Keeps a part of the page, in which somebody writes, as large as it is while they press elsewhere: it draws back once
 * the finger is up. What moves away under a finger is not pressed. The style sheet knows it by `data-held`.
 */
export function useStill(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onDown = () => {
      clearTimeout(timer);
      place.current?.toggleAttribute('data-held', place.current.contains(document.activeElement));
    };
    const onUp = () => {
      clearTimeout(timer);
      timer = setTimeout(() => place.current?.removeAttribute('data-held'), PRESS_MS);
    };
    document.addEventListener('pointerdown', onDown, true);
    for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, onUp, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerdown', onDown, true);
      for (const end of ['pointerup', 'pointercancel']) document.removeEventListener(end, onUp, true);
    };
  }, [place]);
}

export type Names = {
  known: ReadonlyMap<string, DeskByline>;
  /** They were asked for and could not be read. */
  isMissing: boolean;
};

/**
 * The people whose words an update may be.
 * @param bylines those of the update as it was
 * @param isWanted whether somebody looks for a name: not before that are they read
 */
export function useNames(desk: Desk, bylines: DeskByline[], isWanted: boolean): Names {
  const [read, setRead] = useState<DeskByline[] | 'missing' | null>(null);
  const isDue = isWanted && read === null;
  useEffect(() => {
    if (!isDue) return;
    let isOver = false;
    const learn = (found: DeskByline[] | 'missing') => !isOver && setRead(found);
    desk.names().then(learn, () => learn('missing'));
    return () => {
      isOver = true;
    };
  }, [desk, isDue]);
  // What could not be read is asked for again when it is looked for the next time.
  useEffect(() => {
    if (!isWanted) setRead((before) => (before === 'missing' ? null : before));
  }, [isWanted]);
  return useMemo(() => {
    const staff = Array.isArray(read) ? read : [];
    const known = [desk.person, ...bylines, ...staff].map((person) => [person.id, person] as const);
    return { known: new Map(known), isMissing: read === 'missing' };
  }, [desk, bylines, read]);
}
