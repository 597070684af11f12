import { setFlagsFromString } from 'node:v8';

/**
 * To be called before the first PGlite. Left to itself V8 compiles it a second time at every start, optimised:
 * measured, that takes 800 MB for some seconds, which a cheap server does not have, instead of 290, for queries that
 * are a twentieth faster.
 */
export function limitCompilerMemory(): void {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
}
