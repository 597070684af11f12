import type { UpdateForm } from '../../lib/desk/form.ts';

/** An update that is being written, as it is kept on this device. */
export type KeptWork = {
  /** The update's id, made when the writing began. */
  id: string;
  /** The version that the words were written over; null for what the desk does not have yet. */
  version: number | null;
  form: UpdateForm;
};

export type Keeper = {
  read(): KeptWork | null;
  keep(work: KeptWork): void;
  drop(): void;
};

/**
 * Keeps work on this device, apart for each person and coverage: what one person wrote is never shown to
 * another. A device that keeps nothing (private windows, a full disk) is no reason to stop writing.
 * @param what the update's id, or `new` for the composer
 */
export function keeper(person: string, coverage: string, what: string): Keeper {
  const key = `stoppress.work.${person}.${coverage}.${what}`;
  return {
    read() {
      try {
        const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
        return isKept(kept) ? kept : null;
      } catch {
        return null;
      }
    },
    keep(work) {
      try {
        localStorage.setItem(key, JSON.stringify(work));
      } catch {
        // Nothing to be done about it here; the words are still on the screen.
      }
    },
    drop() {
      try {
        localStorage.removeItem(key);
      } catch {
        // As above.
      }
    },
  };
}

function isKept(value: unknown): value is KeptWork {
  if (typeof value !== 'object' || value === null) return false;
  const { id, version, form } = value as Partial<KeptWork>;
  return (
    typeof id === 'string' &&
    (version === null || typeof version === 'number') &&
    typeof form === 'object' &&
    form !== null &&
    typeof form.body === 'string' &&
    typeof form.headline === 'string'
  );
}
