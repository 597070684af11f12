import { buildSite } from '../../src/lib/cli/build.ts';

/** Builds the site once, before all tests that need it. */
export async function setup(): Promise<void> {
  await buildSite();
}
