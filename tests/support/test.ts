import type { SMTPServerOptions } from 'smtp-server';
import { test as base } from 'vitest';
import { type MailServer, startMailServer } from './mail-server.ts';
import { hireEveryone, makeMember, openCoverage } from './newsroom.ts';
import { type Program, startSite } from './site.ts';

/**
 * A test with a real site: one for the file, with a person of every role, and for each test a newsroom with a live
 * coverage of its own. `test.override('environment', {…})` starts the site with other settings, and
 * `test.override('program', 'dev')` as it is developed. With `withMails` as its environment it sends mails, which are
 * opened at `mails`.
 */
export const test = base
  .extend('mailServer', { scope: 'file' }, {} as SMTPServerOptions)
  .extend('mails', { scope: 'file' }, async ({ mailServer }, { onCleanup }): Promise<MailServer> => {
    const mails = await startMailServer(mailServer);
    onCleanup(() => mails.stop());
    return mails;
  })
  .extend('environment', { scope: 'file' }, {} as Record<string, string>)
  .extend('program', { scope: 'file' }, 'main' as Program)
  .extend('site', { scope: 'file' }, async ({ environment, program }, { onCleanup }) => {
    const site = await startSite({ environment, program });
    onCleanup(async () => {
      await site.stop();
    });
    return site;
  })
  .extend('newMember', { scope: 'file' }, ({ site }) => {
    return () => makeMember(site);
  })
  .extend('people', { scope: 'file' }, ({ site }) => hireEveryone(site))
  .extend('newsroom', ({ people }) => openCoverage(people));

/** The environment of a site that sends its mails to the test's own mail server. */
export const withMails = ({ mails }: { mails: MailServer }) => mails.environment;
