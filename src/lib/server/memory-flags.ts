import { resolve } from 'node:path';

/*
 * How our programs are run on a cheap server: what each of it saves and costs is measured in
 * docs/decisions/2026-11-21-performance.md.
 */

/** Young objects get 8 MB. On a machine with much memory V8 takes 64 for them. */
const YOUNG_OBJECTS = '--max-semi-space-size=4';

/** Node's flags for the site, which collects its garbage when it is idle (idle-memory.ts). */
export const SITE_FLAGS: readonly string[] = [YOUNG_OBJECTS, '--expose-gc'];

/** The supervisor has next to nothing to do: a heap that grows late. */
export const SUPERVISOR_FLAGS: readonly string[] = ['--max-semi-space-size=1', '--v8-pool-size=1'];

/**
 * Node's flags for the backend, which sets the others itself (engine/spare-memory.ts): V8 takes nothing from the compile
 * cache that was put there under other flags.
 */
export const BACKEND_FLAGS: readonly string[] = [
  YOUNG_OBJECTS,
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
];

export const THRIFTY_ENVIRONMENT = {
  // glibc gives each thread memory of its own to keep, and keeps what was large: the threads that pack pages keep much.
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  // Our programs as they were compiled once. Without it each process holds what makes JavaScript of TypeScript.
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../../node_modules/.cache/stoppress'),
} as const;
