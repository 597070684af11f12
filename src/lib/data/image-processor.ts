import type { PhotoState } from '../domain/photos.ts';
import type { Refusal } from '../i18n/refusals.ts';

/** Processing state of a photo. `refusal` is an error code. */
export type Standing = { state: PhotoState; refusal: string | null };

/**
 * Result of a request. Errors are returned instead of thrown because the pages' bundle has its own copy of the error
 * class.
 */
export type Looked = { standing: Standing | null } | { refusal: Refusal };

/**
 * Processes a photo at once if it is waiting.
 * @param address client address, for rate limits
 * @returns a standing of null if there is no such photo
 */
export type Develop = (id: string, address: string) => Promise<Looked>;

const NAME = Symbol.for('stoppress.darkroom');

type Process = typeof globalThis & { [NAME]?: { develop?: Develop } };

const here: Process = globalThis;
here[NAME] ??= {};

/**
 * Connects the pages, which are bundled separately, with the server's image processor. Empty until the server starts
 * one.
 */
export const darkroomDoor = here[NAME];
