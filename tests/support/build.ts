import { buildSite } from '../../src/lib/cli/build-site.ts';

/** Once before all tests that need the built site. */
export async function setup(): Promise<void> {
  await buildSite();
}
