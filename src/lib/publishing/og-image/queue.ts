import type { OgImage } from './card.ts';

/**
 * Renders an image.
 * @returns the bytes of a PNG; null if no renderer is available
 */
export type RenderOgImage = (image: OgImage) => Promise<Uint8Array | null>;

const BRIDGE = Symbol.for('stoppress.drawing');

type BridgeHost = typeof globalThis & { [BRIDGE]?: { render?: RenderOgImage } };

const here: BridgeHost = globalThis;
here[BRIDGE] ??= {};

/**
 * Connects the pages, which are bundled separately, with the server's image renderer. Empty until the server starts
 * one.
 */
export const ogImageBridge = here[BRIDGE];
