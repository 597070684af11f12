import type { SMTPServerOptions } from 'smtp-server';
import { test as base } from 'vitest';
import { type MailServer, startMailServer } from './mail.ts';
import { createAccount, createLiveCoverage, createUsers, type Newsroom } from './newsroom.ts';
import { sharedPrograms } from './shared.ts';
import { type Program, startSite, type TestSite } from './site.ts';
import { until } from './until.ts';

/** Maximum number of sites that a worker keeps running for its files. A site takes about 300 MB. */
const SHARED_SITES = 3;

const sharedSites = sharedPrograms(SHARED_SITES, (environment: Record<string, string>) =>
  startSite({ environment }),
);
let sharedMailServer: Promise<MailServer> | undefined;

/**
 * A test with a real site, a person of every role for each file, and a live coverage for each test.
 *
 * Files of one worker with the same `environment` share a site. A file has its own site if it sets `program` (`'dev'`
 * runs the sources) or `ownSite`. A file needs `ownSite` if it stops the site, changes settings of the whole site, or
 * reads lists of everything that the site has. With `withMails` as `environment`, the site sends mails to `mails`.
 *
 * Files set these options by `test.extend(name, value)`. `test.override` would change them for every later file of the
 * worker, because the files of a worker share this module (`isolate: false`).
 */
export const test = base
  .extend('mailServer', { scope: 'file' }, {} as SMTPServerOptions)
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  .extend('sharedMails', { scope: 'worker' }, ({}, { onCleanup }) => {
    onCleanup(async () => (await sharedMailServer)?.stop());
    return () => {
      sharedMailServer ??= startMailServer({});
      return sharedMailServer;
    };
  })
  .extend('mails', { scope: 'file' }, async ({ mailServer, sharedMails }, { onCleanup }) => {
    if (Object.keys(mailServer).length === 0) return sharedMails();
    const mails = await startMailServer(mailServer);
    onCleanup(() => mails.stop());
    return mails;
  })
  .extend('environment', { scope: 'file' }, {} as Record<string, string>)
  .extend('program', { scope: 'file' }, 'main' as Program)
  .extend('ownSite', { scope: 'file' }, false as boolean)
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  .extend('sharedSite', { scope: 'worker' }, ({}, { onCleanup }) => {
    onCleanup(sharedSites.stopAll);
    return sharedSites.get;
  })
  .extend(
    'site',
    { scope: 'file' },
    async ({ environment, program, ownSite, sharedSite }, { onCleanup }): Promise<TestSite> => {
      if (!ownSite && program === 'main') return sharedSite(environment);
      const site = await startSite({ environment, program });
      onCleanup(async () => {
        await site.stop();
      });
      return site;
    },
  )
  .extend('newAccount', { scope: 'file' }, ({ site }) => {
    return () => createAccount(site);
  })
  .extend('people', { scope: 'file' }, ({ site }) => createUsers(site))
  .extend('newsroom', async ({ people, site }) => {
    const newsroom = await createLiveCoverage(people);
    await waitForCoverage(site, newsroom);
    return newsroom;
  });

/** Waits until the site knows a new coverage. Until then it answers 404. */
const waitForCoverage = ({ url }: TestSite, { coverage }: Newsroom) =>
  until('the site knows the new coverage', async () => {
    // No test requests changes after this number. The response in the page cache therefore affects no test.
    const { status } = await fetch(`${url}/live/${coverage.slug}/changes?after=999999999`);
    return status !== 404;
  });

/** Returns the environment of a site that sends its mails to the test's mail server. */
export const withMails = ({ mails }: { mails: MailServer }) => mails.environment;

/** A test whose site sends its mails to `mails`. */
export const testWithMails = test.extend('environment', withMails);
