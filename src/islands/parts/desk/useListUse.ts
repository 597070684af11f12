import { type RefObject, useEffect } from 'react';
import type { HeldRows } from '../../stores/held.ts';

/** Tells a list when somebody uses it. A finger that scrolls uses it too, a mouse only while it moves. */
export function useListUse(
  list: RefObject<HTMLElement | null>,
  { use, leave }: Pick<HeldRows, 'use' | 'leave'>,
): void {
  useEffect(() => {
    const place = list.current;
    if (!place) return;
    const ways = ['pointermove', 'pointerdown', 'keydown'];
    for (const way of ways) place.addEventListener(way, use, { passive: true });
    place.addEventListener('pointerleave', leave);
    return () => {
      for (const way of ways) place.removeEventListener(way, use);
      place.removeEventListener('pointerleave', leave);
    };
  }, [list, use, leave]);
}
