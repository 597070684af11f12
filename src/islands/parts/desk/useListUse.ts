import { type RefObject, useEffect } from 'react';
import type { HeldRows } from '../../stores/held.ts';

/** Reports activity on a list. Scrolling by touch counts; a mouse counts only while it moves. */
export function useListActivity(
  list: RefObject<HTMLElement | null>,
  { use, leave }: Pick<HeldRows, 'use' | 'leave'>,
): void {
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const events = ['pointermove', 'pointerdown', 'keydown'];
    for (const type of events) element.addEventListener(type, use, { passive: true });
    element.addEventListener('pointerleave', leave);
    return () => {
      for (const type of events) element.removeEventListener(type, use);
      element.removeEventListener('pointerleave', leave);
    };
  }, [list, use, leave]);
}
