import type { SMTPServerOptions } from 'smtp-server';
import { test as base } from 'vitest';
import { type MailServer, startMailServer } from './mail-server.ts';
import { hireEveryone, makeMember, openCoverage } from './newsroom.ts';
import { type Program, startSite, type TestSite } from './site.ts';

/** Sites that a worker keeps running at once for its files. A site takes about 300 MB. */
const SHARED_SITES = 3;

/**
 * A test with a real site, a person of every role for each file, and a live coverage for each test.
 *
 * Files of one worker with the same `environment` share a site. A file has a site of its own when it overrides `program`
 * (`'dev'` runs the sources) or `ownSite` (it stops the site, changes settings of the whole site, or reads lists of
 * everything that the site has). With `withMails` as its environment the site sends mails to `mails`.
 */
export const test = base
  .extend('mailServer', { scope: 'file' }, {} as SMTPServerOptions)
  .extend('sharedMailServer', { scope: 'worker' }, {} as SMTPServerOptions)
  .extend('startSharedMails', { scope: 'worker' }, ({ sharedMailServer }, { onCleanup }) => {
    let shared: Promise<MailServer> | undefined;
    onCleanup(async () => (await shared)?.stop());
    return () => {
      shared ??= startMailServer(sharedMailServer);
      return shared;
    };
  })
  .extend('mails', { scope: 'file' }, async ({ mailServer, startSharedMails }, { onCleanup }) => {
    if (Object.keys(mailServer).length === 0) return startSharedMails();
    const mails = await startMailServer(mailServer);
    onCleanup(() => mails.stop());
    return mails;
  })
  .extend('environment', { scope: 'file' }, {} as Record<string, string>)
  .extend('program', { scope: 'file' }, 'main' as Program)
  .extend('ownSite', { scope: 'file' }, false as boolean)
  .extend('sharedSites', { scope: 'worker' }, SHARED_SITES)
  .extend('startSharedSite', { scope: 'worker' }, ({ sharedSites }, { onCleanup }) => {
    const sites = new Map<string, Promise<TestSite>>();
    const stop = async (key: string) => {
      const site = sites.get(key);
      sites.delete(key);
      await (await site)?.stop();
    };
    onCleanup(async () => {
      for (const key of [...sites.keys()]) await stop(key);
    });
    return async (environment: Record<string, string>) => {
      const key = JSON.stringify(environment);
      const site = sites.get(key) ?? startSite({ environment });
      // The map is in the order of use: the first site is the one that was not used for longest.
      sites.delete(key);
      sites.set(key, site);
      const [oldest] = sites.keys();
      if (sites.size > sharedSites && oldest !== undefined) await stop(oldest);
      return site;
    };
  })
  .extend(
    'site',
    { scope: 'file' },
    async ({ environment, program, ownSite, startSharedSite }, { onCleanup }): Promise<TestSite> => {
      if (!ownSite && program === 'main') return withOwnOutput(await startSharedSite(environment));
      const site = await startSite({ environment, program });
      onCleanup(async () => {
        await site.stop();
      });
      return site;
    },
  )
  .extend('newMember', { scope: 'file' }, ({ site }) => {
    return () => makeMember(site);
  })
  .extend('people', { scope: 'file' }, ({ site }) => hireEveryone(site))
  .extend('newsroom', ({ people }) => openCoverage(people));

/** The environment of a site that sends its mails to the test's own mail server. */
export const withMails = ({ mails }: { mails: MailServer }) => mails.environment;

/** A shared site whose output begins where this file began. */
function withOwnOutput(site: TestSite): TestSite {
  const [errorsBefore, outputBefore] = [site.errors().length, site.said().length];
  return {
    ...site,
    errors: () => site.errors().slice(errorsBefore),
    said: () => site.said().slice(outputBefore),
  };
}
