import { useEffect, useRef } from 'react';
import { addShortcuts, type Shortcut } from '../../stores/shortcuts.ts';

/** Keys of a part of the desk, for as long as it is on the page. What they do may change; which they are may not. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(
    () =>
      addShortcuts(
        latest.current.map(({ key, label }, index) => ({
          key,
          label,
          run: () => latest.current[index]?.run(),
          when: () => latest.current[index]?.when?.() ?? true,
        })),
      ),
    [],
  );
}
