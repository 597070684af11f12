import { test as base } from 'vitest';
import { hireEveryone, openCoverage } from './newsroom.ts';
import { type Program, startSite } from './site.ts';

/**
 * A test with a real site: one for the file, with a person of every role, and for each test a newsroom with a live
 * coverage of its own. `test.override('environment', {…})` starts the site with other settings, and
 * `test.override('program', 'dev')` as it is developed.
 */
export const test = base
  .extend('environment', { scope: 'file' }, {} as Record<string, string>)
  .extend('program', { scope: 'file' }, 'main' as Program)
  .extend('site', { scope: 'file' }, async ({ environment, program }, { onCleanup }) => {
    const site = await startSite({ environment, program });
    onCleanup(async () => {
      await site.stop();
    });
    return site;
  })
  .extend('people', { scope: 'file' }, ({ site }) => hireEveryone(site))
  .extend('newsroom', ({ people }) => openCoverage(people));
