import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchChromium } from './chromium.ts';
import type { TestSite } from './site.ts';
import { test as base } from './test.ts';

/** Somebody's browser: a context of its own, whose complaints fail the test. */
export type Visitor = {
  page: Page;
  /** A complaint that this test brings about on purpose. */
  expectError(words: RegExp): void;
  /** What of the content security policy this test breaks on purpose. No other complaint that is expected covers it. */
  expectViolation(words: RegExp): void;
};

type Visit = (options?: BrowserContextOptions) => Promise<Visitor>;

/** The browser that the files of this worker share. */
let openedChromium: Promise<Browser> | undefined;

/**
 * A test with a real browser on a real site. `visit()` is a new visitor; whatever the browser complains of on the
 * console (errors of scripts, of the content security policy, of loading) fails the test.
 */
export const test = base
  .extend('flags', { scope: 'file' }, [] as string[])
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
  .extend('sharedChromium', { scope: 'worker' }, ({}, { onCleanup }) => {
    onCleanup(async () => (await openedChromium)?.close());
    return () => {
      openedChromium ??= launchChromium([]);
      return openedChromium;
    };
  })
  .extend('chromium', { scope: 'file' }, async ({ flags, sharedChromium }, { onCleanup }) => {
    if (flags.length === 0) return sharedChromium();
    const chromium = await launchChromium(flags);
    onCleanup(() => chromium.close());
    return chromium;
  })
  .extend('visit', async ({ site, chromium }, { onCleanup }): Promise<Visit> => {
    const visits: { close(): Promise<void>; errors(): string[] }[] = [];
    onCleanup(async () => {
      const errors = visits.flatMap((visit) => visit.errors());
      for (const visit of visits) await visit.close();
      expect(errors, 'the browser complained').toEqual([]);
    });
    return async (options = {}) => {
      const { visitor, close, errors } = await openVisit(chromium, site, options);
      visits.push({ close, errors });
      return visitor;
    };
  });

/** A phone of 360 px: the screen that everything must fit first. */
const PHONE = { width: 360, height: 740 };
/** Most of what a test waits for has come within milliseconds; a busy machine may take longer. */
const LONGEST_WAIT_MS = 15_000;

/** How a page that breaks its policy says so. */
const VIOLATION = 'policy broken:';
const IS_VIOLATION = /policy broken:|content[ -]security[ -]policy|Trusted ?Type/i;

async function openVisit(chromium: Browser, site: TestSite, options: BrowserContextOptions) {
  const context = await chromium.newContext({
    baseURL: site.url,
    viewport: PHONE,
    // A page that a worker has kept is not what a test has just made; who tests the worker lets it.
    serviceWorkers: 'block',
    ...options,
  });
  context.setDefaultTimeout(LONGEST_WAIT_MS);
  const consoleErrors: string[] = [];
  const violations: string[] = [];
  const expected: RegExp[] = [];
  const expectedBroken: RegExp[] = [];
  // Before anything of a page is read, frames too.
  await context.addInitScript((word) => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { violatedDirective, blockedURI, sourceFile, lineNumber, sample } = event;
      console.error(`${word} ${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber} ${sample}`);
    });
  }, VIOLATION);
  context.on('console', (message) => {
    if (message.type() !== 'error') return;
    const line = `${message.text()} (${message.location().url})`;
    // Who may show a page in a frame is told to the other site, which is none of ours.
    if (IS_VIOLATION.test(line) && !line.includes('frame-ancestors')) violations.push(line);
    else consoleErrors.push(line);
  });
  context.on('weberror', (error) => consoleErrors.push(String(error.error())));
  const visitor: Visitor = {
    page: await context.newPage(),
    expectError: (words) => expected.push(words),
    expectViolation: (words) => expectedBroken.push(words),
  };
  const unexpected = (lines: string[], words: RegExp[]) =>
    lines.filter((line) => !words.some((word) => word.test(line)));
  return {
    visitor,
    async close() {
      // What a test put between its page and the site may be at work still.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    },
    errors: () => [...unexpected(violations, expectedBroken), ...unexpected(consoleErrors, expected)],
  };
}

/** Holds the whole page against axe's rules; names each finding and where it is. */
export async function expectNoAxeFindings(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const findings = await page.evaluate(async () => {
    const { axe: here } = window as unknown as { axe: typeof axe };
    const { violations } = await here.run();
    return violations.map(
      ({ id, help, nodes }) => `${id}: ${help} at ${nodes.map((n) => n.target.join(' ')).join(', ')}`,
    );
  });
  expect(findings, page.url()).toEqual([]);
}
