/** Exit codes of a function's process, by the reason why it ended. Codes of 128 and more come from signals. */
export const EXIT_CODES = { finished: 0, failed: 81, uncaught: 82, blocked: 83, memory: 84 } as const;

/** Messages from the supervisor to the function's thread. */
export type SupervisorMessage = 'beat' | 'end';

/** Messages from the function's thread: it listens, it is alive, it failed to load, it has finished. */
export type WorkerMessage = 'ready' | 'beat' | 'failed' | 'ended';
