import type { PhotoState } from './photo.ts';

/** How far a photo has come, and why it was refused if it was: a code of the error catalogue. */
export type Standing = { state: PhotoState; refusal: string | null };

/** @returns null when there is no such photo */
export type Develop = (id: string) => Promise<Standing | null>;

const NAME = Symbol.for('stoppress.darkroom');

type Process = typeof globalThis & { [NAME]?: { develop?: Develop } };

const here: Process = globalThis;
here[NAME] ??= {};

/**
 * Where the pages, which are bundled apart, ask the server's darkroom to look at a photo now. Nobody is behind it
 * before the server has opened one.
 */
export const darkroomDoor = here[NAME];
