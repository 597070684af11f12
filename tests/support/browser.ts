import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchChromium } from './chromium.ts';
import type { TestSite } from './site.ts';
import { test as base } from './test.ts';

/** A separate browser context. Errors in its console fail the test. */
export type Visitor = {
  page: Page;
  /** Allows an error that the test causes on purpose. */
  expectError(words: RegExp): void;
  /**
   * Allows a violation of the content security policy that the test causes on purpose. `expectError` does not allow
   * violations.
   */
  expectViolation(words: RegExp): void;
};

type VisitOptions = BrowserContextOptions & {
  /**
   * Lets pages measure response times. By default they cannot, because they would take a busy machine for a poor
   * connection.
   */
  showsResponseTimes?: true;
};
type Visit = (options?: VisitOptions) => Promise<Visitor>;

/** The browser that the files of this worker share. */
let openedChromium: Promise<Browser> | undefined;

/**
 * A test with a real browser and a real site. `visit()` opens a new context. Errors in its console fail the test:
 * script errors, violations of the content security policy, failed requests.
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

/** A narrow phone: everything must fit this screen. */
export const PHONE = { width: 360, height: 740 };
/** Most conditions are met within milliseconds, but a busy machine may need longer. */
const LONGEST_WAIT_MS = 30_000;

/** Text that a page writes to the console when its content security policy is violated. */
const VIOLATION = 'policy broken:';
const IS_VIOLATION = /policy broken:|content[ -]security[ -]policy|Trusted ?Type/i;

async function openVisit(
  chromium: Browser,
  site: TestSite,
  { showsResponseTimes, ...options }: VisitOptions,
) {
  const context = await chromium.newContext({
    baseURL: site.url,
    viewport: PHONE,
    // A service worker could answer with an older version of a page that the test has just changed.
    serviceWorkers: 'block',
    ...options,
  });
  context.setDefaultTimeout(LONGEST_WAIT_MS);
  const consoleErrors: string[] = [];
  const violations: string[] = [];
  const expected: RegExp[] = [];
  const expectedBroken: RegExp[] = [];
  // Runs before any script of a page or frame.
  await context.addInitScript((word) => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { violatedDirective, blockedURI, sourceFile, lineNumber, sample } = event;
      console.error(`${word} ${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber} ${sample}`);
    });
  }, VIOLATION);
  if (!showsResponseTimes) await context.addInitScript(hideResponseTimes);
  context.on('console', (message) => {
    if (message.type() !== 'error') return;
    const line = `${message.text()} (${message.location().url})`;
    // A blocked frame is an error of the embedding page.
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
      // Routes that a test added may still be handling requests.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    },
    errors: () => [...unexpected(violations, expectedBroken), ...unexpected(consoleErrors, expected)],
  };
}

/** Runs in the page. With late responses the page would assume a poor connection and start no islands on its own. */
function hideResponseTimes(): void {
  Object.defineProperty(Navigator.prototype, 'connection', { configurable: true, get: () => undefined });
  Object.defineProperty(PerformanceNavigationTiming.prototype, 'responseStart', {
    get(this: PerformanceNavigationTiming) {
      return this.requestStart;
    },
  });
}

/** Checks the page against axe's rules. Names each finding and its place. */
export async function expectNoAxeFindings(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const findings = await page.evaluate(async () => {
    const { axe: here } = window as unknown as { axe: typeof axe };
    // Details of passed rules, and loading the stylesheets of other sites, would take half of the time.
    const { violations } = await here.run({ resultTypes: ['violations'], preload: false });
    return violations.map(
      ({ id, help, nodes }) => `${id}: ${help} at ${nodes.map((n) => n.target.join(' ')).join(', ')}`,
    );
  });
  expect(findings, page.url()).toEqual([]);
}

/**
 * Expects that a page does not scroll horizontally.
 * @param state names the state of the page in the failure
 */
export async function expectToFit(page: Page, state?: string): Promise<void> {
  const { width, visible } = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    visible: document.documentElement.clientWidth,
  }));
  expect(width, state).toBe(visible);
}
