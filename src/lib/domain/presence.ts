/** A page of a person at a desk, as the desk's channel knows it. */
export type Presence = {
  /** The person's id: the key of the presence. Names are read from the roster. */
  person: string;
  /** The id of the update that they are changing, `new` for one that is being written, or nothing. */
  editing: string | null;
};

/** As much of a person as a desk's roster has. */
export type RosterRow = { id: string; display_name: string };

/** Somebody else at the desk, however many pages they have open. */
export type Colleague = { id: string; name: string; editing: string[] };

/**
 * The presences in a channel's state. The person is the key alone, which the embedded backend sets to the id in the
 * access token; a client may send any other content.
 */
export function presencesIn(state: Record<string, unknown[]>): Presence[] {
  return Object.entries(state).flatMap(([person, metas]) =>
    metas.map((meta) => ({ person, editing: editingIn(meta) })),
  );
}

function editingIn(meta: unknown): string | null {
  const { editing } = (meta ?? {}) as Record<string, unknown>;
  return typeof editing === 'string' ? editing : null;
}

/** The others who are here and in the roster, each once; who is writing first, because that is what one looks for. */
export function colleaguesOf(presences: Presence[], roster: RosterRow[], me: string): Colleague[] {
  return roster
    .filter(({ id }) => id !== me)
    .map(({ id, display_name: name }) => ({ id, name, theirs: presences.filter((p) => p.person === id) }))
    .filter(({ theirs }) => theirs.length > 0)
    .map(({ theirs, ...who }) => ({ ...who, editing: theirs.flatMap((p) => p.editing ?? []) }))
    .sort(
      (a, b) => Number(b.editing.length > 0) - Number(a.editing.length > 0) || a.name.localeCompare(b.name),
    );
}

/** The names of those who are changing an update. */
export function editorsOf(colleagues: Colleague[], update: string): string[] {
  return colleagues.filter(({ editing }) => editing.includes(update)).map(({ name }) => name);
}
