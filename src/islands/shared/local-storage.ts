/**
 * Runs an action on local storage; undefined when the browser refuses storage, or when it is full. This one is for the
 * desk. Tips have a copy, because a module that both share would be one more file of a reader's page.
 */
export function withLocalStorage<T>(action: (storage: Storage) => T): NonNullable<T> | undefined {
  try {
    return action(localStorage) ?? undefined;
  } catch {
    return undefined;
  }
}
