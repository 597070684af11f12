/** Runs an action on local storage; undefined when the browser refuses storage, or when it is full. */
export function withLocalStorage<T>(action: (storage: Storage) => T): NonNullable<T> | undefined {
  try {
    return action(localStorage) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A line of text that this browser remembers from its last use. */
export type RememberedLine = { read(): string; save(line: string): void };

/**
 * Last dateline of a person in a coverage.
 * @param person id of the person
 */
export const rememberedDateline = (person: string, coverage: string): RememberedLine =>
  rememberedLine(`stoppress.dateline.${person}.${coverage}`);

/**
 * Last photo credit that a person entered.
 * @param person id of the person
 */
export const rememberedCredit = (person: string): RememberedLine =>
  rememberedLine(`stoppress.credit.${person}`);

function rememberedLine(key: string): RememberedLine {
  return {
    read: () => withLocalStorage((storage) => storage.getItem(key)) ?? '',
    save(line) {
      withLocalStorage((storage) => (line.trim() ? storage.setItem(key, line) : storage.removeItem(key)));
    },
  };
}
