import type { Card } from './card.ts';

/** @returns the bytes of a PNG; null when it cannot be drawn now */
export type Draw = (card: Card) => Promise<Uint8Array | null>;

const NAME = Symbol.for('stoppress.drawing');

type Process = typeof globalThis & { [NAME]?: { draw?: Draw } };

const here: Process = globalThis;
here[NAME] ??= {};

/** Where the pages, which are bundled apart, have a card drawn. Nobody is behind it before the server has opened it. */
export const drawingDoor = here[NAME];
