import type { Card } from './card.ts';

/**
 * Renders an image.
 * @returns the bytes of a PNG; null if no renderer is available
 */
export type Draw = (card: Card) => Promise<Uint8Array | null>;

const NAME = Symbol.for('stoppress.drawing');

type Process = typeof globalThis & { [NAME]?: { draw?: Draw } };

const here: Process = globalThis;
here[NAME] ??= {};

/**
 * Connects the pages, which are bundled separately, with the server's image renderer. Empty until the server starts
 * one.
 */
export const drawingDoor = here[NAME];
