import type { PhotoState } from '../domain/photos.ts';
import type { Refusal } from '../i18n/refusals.ts';

/** Processing state of a photo. `refusal_code` is an error code. */
export type ProcessingStatus = { state: PhotoState; refusal_code: string | null };

/**
 * Result of a request. Errors are returned instead of thrown because the pages' bundle has its own copy of the error
 * class.
 */
export type ProcessResult = { status: ProcessingStatus | null } | { refusal: Refusal };

/**
 * Processes a photo at once if it is waiting.
 * @param address client address, for rate limits
 * @returns a standing of null if there is no such photo
 */
type ProcessPhoto = (id: string, address: string) => Promise<ProcessResult>;

const BRIDGE = Symbol.for('stoppress.image-processor');

type BridgeHost = typeof globalThis & { [BRIDGE]?: { processPhoto?: ProcessPhoto } };

const here: BridgeHost = globalThis;
here[BRIDGE] ??= {};

/**
 * Connects the pages, which are bundled separately, with the server's image processor. Empty until the server starts
 * one.
 */
export const imageProcessorBridge = here[BRIDGE];
