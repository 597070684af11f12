import { test as base, withMails } from './test.ts';

/** A test with a site that sends its mails to a server of the test's own, `mails`, where they are opened. */
export const test = base.extend('environment', withMails);
