import { resolve } from 'node:path';

/* Flags that reduce memory on a small server. Their savings and costs are measured in
   docs/decisions/2026-11-21-performance.md. */

/** 8 MB for young objects. On machines with much memory V8 takes 64 MB. */
const YOUNG_GENERATION = '--max-semi-space-size=4';

/** Node's flags for the site. It collects its garbage when idle (load.ts). */
export const SITE_FLAGS: readonly string[] = [YOUNG_GENERATION, '--expose-gc'];

/** The supervisor does little, so its heap should grow late. */
export const SUPERVISOR_FLAGS: readonly string[] = ['--max-semi-space-size=1', '--v8-pool-size=1'];

/**
 * Node's flags for the backend. It sets further ones itself, because V8 discards a compile cache that was written under
 * other flags.
 */
export const BACKEND_FLAGS: readonly string[] = [
  YOUNG_GENERATION,
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
];

export const MEMORY_ENVIRONMENT = {
  // glibc keeps a memory pool for each thread and keeps large blocks. The compression threads would hold much memory.
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  // Cache of compiled TypeScript. Without it each process loads the compiler.
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../../node_modules/.cache/stoppress'),
} as const;
