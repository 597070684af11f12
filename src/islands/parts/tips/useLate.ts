import { useEffect, useState } from 'react';
import type { Task, TaskState } from '../../stores/task.ts';
import { useShared } from '../desk/useShared.ts';

/** What is answered sooner needs no word. */
const LATE_MS = 300;

/** How a task stands, as it is said: under way not before it has taken a while. */
export function useLate({ $state }: Task): TaskState {
  const state = useShared($state);
  const [late, setLate] = useState<TaskState | null>(null);
  useEffect(() => {
    if (state.step !== 'doing') return;
    const timer = setTimeout(() => setLate(state), LATE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return state.step === 'doing' && late !== state ? IDLE : state;
}

const IDLE: TaskState = { step: 'idle' };
