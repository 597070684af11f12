/** Delay of an autosave after the last key press, in milliseconds. */
const AUTOSAVE_DELAY_MS = 1000;

export type Autosave = {
  /** Schedules a save. */
  schedule(): void;
  /** Cancels the scheduled save. */
  cancel(): void;
};

/** Saves when typing pauses. */
export function makeAutosave(save: () => Promise<unknown>): Autosave {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    schedule() {
      clearTimeout(timer);
      timer = setTimeout(() => void save(), AUTOSAVE_DELAY_MS);
    },
    cancel() {
      clearTimeout(timer);
    },
  };
}
