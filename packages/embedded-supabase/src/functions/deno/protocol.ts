/** Why a function's process ended, as its exit code. Codes of 128 and more are signals'. */
export const EXIT_CODES = { finished: 0, failed: 81, uncaught: 82, blocked: 83, memory: 84 } as const;

/** What the supervisor tells the function's thread. */
export type SupervisorMessage = 'beat' | 'end';

/** Messages of the function's thread: it listens, it is alive, it failed to load, it has finished. */
export type WorkerMessage = 'ready' | 'beat' | 'failed' | 'ended';
