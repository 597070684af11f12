/** Presence of one open desk page on the desk's channel. */
export type Presence = {
  /** Id of the person, which is the key of the presence. Names come from the roster. */
  person: string;
  /** Id of the update that the person edits, `new` for a new update, or null. */
  editing: string | null;
};

/** Fields of a person that the roster of a desk provides. */
export type RosterRow = { id: string; display_name: string };

/** Another person at the desk, with the updates that all their pages edit. */
export type Colleague = { id: string; name: string; editing: string[] };

/**
 * Reads the presences from a channel's state. The person is taken from the key only, which the embedded backend sets
 * to the id in the access token: clients may send any other content.
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

/** Returns the other people who are present and in the roster, each once. People who are editing come first. */
export function colleaguesOf(presences: Presence[], roster: RosterRow[], me: string): Colleague[] {
  return roster
    .filter(({ id }) => id !== me)
    .map(({ id, display_name: name }) => ({ id, name, theirs: presences.filter((p) => p.person === id) }))
    .filter(({ theirs }) => theirs.length > 0)
    .map(({ theirs, ...person }) => ({ ...person, editing: theirs.flatMap((p) => p.editing ?? []) }))
    .sort(
      (a, b) => Number(b.editing.length > 0) - Number(a.editing.length > 0) || a.name.localeCompare(b.name),
    );
}

/** Returns the names of the people who edit an update. */
export function editorsOf(colleagues: Colleague[], update: string): string[] {
  return colleagues.filter(({ editing }) => editing.includes(update)).map(({ name }) => name);
}
