const NAME = Symbol.for('stoppress.open-sockets');

type Process = typeof globalThis & { [NAME]?: { count: number } };

const here: Process = globalThis;
here[NAME] ??= { count: 0 };

/**
 * How many sockets this process passes on to its backend. The server counts them and the pages ask; the pages are
 * bundled apart, with a copy of this module of their own, so both meet in one place of the process.
 */
export const openSockets = here[NAME];
