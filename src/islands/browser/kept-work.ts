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
  /** What this tab kept last; else what any tab did. */
  read(): KeptWork | null;
  /** @returns whether this device keeps it */
  keep(work: KeptWork): boolean;
  /** Forgets what this tab kept. What another has written over it since stays. */
  drop(): void;
};

/**
 * Keeps work on this device, apart for each person and coverage: what one person wrote is never shown to
 * another. Each piece has a place of its own, because two tabs may write at once. A device that keeps nothing
 * (private windows, a full disk) is no reason to stop writing.
 * @param what the update's id, or `new` for the composer
 */
export function keeper(person: string, coverage: string, what: string): Keeper {
  const place = `stoppress.work.${person}.${coverage}.${what}`;
  let last: { key: string; text: string } | undefined;
  return {
    read() {
      try {
        const all = readAll(place);
        const kept = all.find(({ key }) => key === sessionStorage.getItem(place)) ?? all.at(-1);
        last = kept;
        return kept?.work ?? null;
      } catch {
        return null;
      }
    },
    keep(work) {
      const key = `${place}.${work.id}`;
      try {
        const text = JSON.stringify({ ...work, at: Date.now() });
        localStorage.setItem(key, text);
        last = { key, text };
        sessionStorage.setItem(place, key);
        return true;
      } catch {
        return false;
      }
    },
    drop() {
      try {
        if (last && localStorage.getItem(last.key) === last.text) localStorage.removeItem(last.key);
      } catch {
        // What keeps nothing has nothing to forget.
      }
    },
  };
}

/** All that is kept in a place, the newest last. */
function readAll(place: string) {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(`${place}.`))
    .flatMap((key) => {
      const text = localStorage.getItem(key) ?? '';
      const work = parsed(text);
      return isKept(work) ? [{ key, text, work }] : [];
    })
    .sort((a, b) => a.work.at - b.work.at);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isKept(value: unknown): value is KeptWork & { at: number } {
  if (typeof value !== 'object' || value === null) return false;
  const { id, version, form, at } = value as Partial<KeptWork & { at: number }>;
  return (
    typeof id === 'string' &&
    typeof at === 'number' &&
    (version === null || typeof version === 'number') &&
    typeof form === 'object' &&
    form !== null &&
    typeof form.body === 'string' &&
    typeof form.headline === 'string'
  );
}
