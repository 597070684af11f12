/** The desk has a draft so long after the last key: milliseconds. */
const QUIET_MS = 1000;

export type Autosave = {
  /** Something was changed. */
  touch(): void;
  /** Whatever was to be saved is saved otherwise, or not at all. */
  stop(): void;
};

/** Saves once the words have stopped coming; one saving at a time. */
export function makeAutosave(save: () => Promise<unknown>): Autosave {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    touch() {
      clearTimeout(timer);
      timer = setTimeout(() => void save(), QUIET_MS);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
