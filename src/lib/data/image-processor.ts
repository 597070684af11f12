import type { PhotoState } from '../domain/photos.ts';
import type { Refusal } from '../i18n/refusals.ts';

/** How far a photo has come, and why it was refused if it was: a code of the error catalogue. */
export type Standing = { state: PhotoState; refusal: string | null };

/** What is answered at the door. Nothing is thrown: the pages' bundle has classes of its own, and knows none of ours. */
export type Looked = { standing: Standing | null } | { refusal: Refusal };

/**
 * @param address of whoever asks
 * @returns a standing of null when there is no such photo
 */
export type Develop = (id: string, address: string) => Promise<Looked>;

const NAME = Symbol.for('stoppress.darkroom');

type Process = typeof globalThis & { [NAME]?: { develop?: Develop } };

const here: Process = globalThis;
here[NAME] ??= {};

/**
 * Where the pages, which are bundled apart, ask the server's darkroom to look at a photo now. Nobody is behind it
 * before the server has opened one.
 */
export const darkroomDoor = here[NAME];
