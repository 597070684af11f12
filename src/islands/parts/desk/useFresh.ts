import { useEffect, useState } from 'react';
import type { Task } from '../../stores/task.ts';
import { useShared } from './useShared.ts';

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
