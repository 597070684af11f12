import type { TestProject } from 'vitest/node';
import { findPostgres, startCluster } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the tests' own PostgreSQL cluster, in projects that use one. */
    postgres: string | undefined;
  }
}

/** Starts one cluster for all test files of the project. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const bin = findPostgres();
  if (!bin) throw new Error('This project is for machines with PostgreSQL.');
  const cluster = await startCluster(bin);
  provide('postgres', cluster.url());
  return cluster.end;
}
