import axe from 'axe-core';
import { expect, vi } from 'vitest';
import { findElements, NEEDS_AXE, pointOf, type Step, type TextMatch } from './locate.ts';
import type { ActionSequence, BrowserSession, Size } from './session.ts';

/** The same timeout as in the other browser tests. It is long because the machine may be busy. */
const TIMEOUT_MS = 30_000;
const INTERVAL_MS = 50;

type Text = string | RegExp;
type NameOptions = { name?: Text; exact?: boolean };

/** WebDriver's codes of keys that are no characters. */
const KEYS: Record<string, string> = {
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Control: '\uE009',
  Escape: '\uE00C',
  Space: ' ',
};

/** A page in one of the engines. Its methods have the names of Playwright's methods and wait in the same way. */
export class EnginePage {
  readonly session: BrowserSession;
  readonly #baseUrl: string;

  constructor(session: BrowserSession, baseUrl: string) {
    this.session = session;
    this.#baseUrl = baseUrl;
  }

  async goto(path: string): Promise<void> {
    await this.session.navigate(new URL(path, this.#baseUrl).href);
  }

  reload = async (): Promise<void> => this.session.navigate(await this.evaluate(() => location.href));

  /** Calls a function in the page. Arguments and result are plain JSON. */
  async evaluate<Args extends unknown[], Result>(
    run: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    return (await this.session.call(String(run), args)) as Awaited<Result>;
  }

  locator = (selector: string): Locator => new Locator(this, [{ by: 'css', selector }]);
  getByRole = (role: string, options?: NameOptions): Locator =>
    new Locator(this, []).getByRole(role, options);
  getByLabel = (label: Text, options?: { exact?: boolean }): Locator =>
    new Locator(this, []).getByLabel(label, options);
  getByText = (text: Text, options?: { exact?: boolean }): Locator =>
    new Locator(this, []).getByText(text, options);

  /** Waits until the page has loaded an address for which `matches` returns true. */
  async waitForURL(matches: (url: URL) => boolean): Promise<void> {
    await waitUntil(async () => {
      const [href, state] = await this.evaluate(() => [location.href, document.readyState] as const);
      if (!matches(new URL(href)) || state !== 'complete') throw new Error(`The page is at ${href}.`);
    });
  }

  setViewportSize = (size: Size): Promise<void> => this.session.resize(size);
  screenshot = (): Promise<Buffer> => this.session.screenshot();

  /** Loads axe into the page. axe computes roles and names. */
  async loadAxe(): Promise<void> {
    await this.session.call(`function () { ${axe.source} }`, []);
  }

  /** Presses the keys in order, and releases them in reverse order. */
  async pressKeys(keys: string[]): Promise<void> {
    const values = keys.map((key) => KEYS[key] ?? key);
    const actions = [
      ...values.map((value) => ({ type: 'keyDown', value })),
      ...values.toReversed().map((value) => ({ type: 'keyUp', value })),
    ];
    await this.session.performActions([{ type: 'key', id: 'keyboard', actions }]);
  }

  async click({ x, y }: { x: number; y: number }): Promise<void> {
    const press: ActionSequence = {
      type: 'pointer',
      id: 'mouse',
      parameters: { pointerType: 'mouse' },
      actions: [
        { type: 'pointerMove', x, y, origin: 'viewport', duration: 0 },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ],
    };
    await this.session.performActions([press]);
  }

  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((character) => {
      const value = character === '\n' ? KEYS.Enter : character;
      return [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ];
    });
    await this.session.performActions([{ type: 'key', id: 'keyboard', actions }]);
  }
}

/**
 * Steps that lead to elements of a page. Each use finds the elements again. Methods that act on an element wait until
 * exactly one matches.
 */
export class Locator {
  readonly #page: EnginePage;
  readonly #steps: Step[];

  constructor(page: EnginePage, steps: Step[]) {
    this.#page = page;
    this.#steps = steps;
  }

  #narrow = (step: Step): Locator => new Locator(this.#page, [...this.#steps, step]);
  locator = (selector: string): Locator => this.#narrow({ by: 'css', selector });
  getByRole = (role: string, { name, exact }: NameOptions = {}): Locator =>
    this.#narrow({ by: 'role', role, ...(name !== undefined && { name: matchOf(name, exact) }) });
  getByLabel = (label: Text, { exact }: { exact?: boolean } = {}): Locator =>
    this.#narrow({ by: 'label', name: matchOf(label, exact) });
  getByText = (text: Text, { exact }: { exact?: boolean } = {}): Locator =>
    this.#narrow({ by: 'text', text: matchOf(text, exact) });
  filter = ({ hasText }: { hasText: Text }): Locator =>
    this.#narrow({ by: 'hasText', text: matchOf(hasText, false) });
  nth = (index: number): Locator => this.#narrow({ by: 'nth', index });
  first = (): Locator => this.nth(0);

  /** Calls a function with all elements that match now. Its result is plain JSON. */
  evaluateAll = <Result>(run: (elements: HTMLElement[]) => Result): Promise<Result> =>
    this.#call(String(run));

  /** Waits until exactly one element matches, and calls a synchronous function with it. Its result is plain JSON. */
  async evaluate<Result>(run: (element: HTMLElement) => Result): Promise<Result> {
    const source = `(all) => all.length === 1 ? { value: (${run})(all[0]) } : { count: all.length }`;
    return waitUntil(async () => {
      const answer = await this.#call<{ value: Result } | { count: number }>(source);
      if ('count' in answer) throw new Error(`${answer.count} elements instead of one: ${this}`);
      return answer.value;
    });
  }

  /** Calls a function with the elements. Loads axe first if a step needs it. @param source source of the function */
  async #call<Result>(source: string): Promise<Result> {
    const declaration = `(steps, needsAxe) => {
      const elements = (${findElements})(steps, needsAxe);
      return elements === needsAxe ? { needsAxe } : { value: (${source})(elements) };
    }`;
    const call = () => this.#page.session.call(declaration, [this.#steps, NEEDS_AXE]);
    const first = (await call()) as { needsAxe: string } | { value: Result };
    if ('value' in first) return first.value;
    await this.#page.loadAxe();
    return ((await call()) as { value: Result }).value;
  }

  count = (): Promise<number> => this.evaluateAll((elements) => elements.length);
  innerText = (): Promise<string> => this.evaluate((element) => element.innerText);
  allInnerTexts = (): Promise<string[]> => this.evaluateAll((all) => all.map((one) => one.innerText));
  inputValue = (): Promise<string> => this.evaluate((element) => (element as HTMLInputElement).value);
  isChecked = (): Promise<boolean> => this.evaluate((element) => (element as HTMLInputElement).checked);
  isDisabled = (): Promise<boolean> => this.evaluate((element) => element.matches(':disabled'));
  /** Returns whether at least one matching element is visible. */
  isVisible = (): Promise<boolean> =>
    this.evaluateAll((all) => all.some((one) => one.checkVisibility({ visibilityProperty: true })));
  boundingBox = (): Promise<{ x: number; y: number; width: number; height: number }> =>
    this.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y, width, height };
    });

  async waitFor({ state = 'visible' }: { state?: 'visible' | 'hidden' } = {}): Promise<void> {
    await waitUntil(async () => {
      if ((await this.isVisible()) !== (state === 'visible')) throw new Error(`Not ${state}: ${this}`);
    });
  }

  async click(): Promise<void> {
    const point = await waitUntil(async () => {
      const at = await this.evaluate(pointOf);
      if (typeof at === 'string') throw new Error(`Cannot click, ${at}: ${this}`);
      return at;
    });
    await this.#page.click(point);
  }

  async check(): Promise<void> {
    if (!(await this.isChecked())) await this.click();
    await waitUntil(async () => {
      if (!(await this.isChecked())) throw new Error(`Not checked: ${this}`);
    });
  }

  /** Clicks into a field, selects its content, and types over it. Repeats the click if it missed a moving field. */
  async fill(text: string): Promise<void> {
    await waitUntil(async () => {
      await this.click();
      const isFocused = await this.evaluate((element) => element === document.activeElement);
      if (!isFocused) throw new Error(`Not focused after a click: ${this}`);
    });
    if (await this.inputValue()) await this.#page.pressKeys(['Control', 'a']);
    await this.#page.type(text);
  }

  /** Focuses a field and presses keys, such as `Control+Enter`. */
  async press(keys: string): Promise<void> {
    await this.evaluate((element) => element.focus());
    await this.#page.pressKeys(keys.split('+'));
  }

  async setInputFiles(...paths: string[]): Promise<void> {
    await this.evaluate(() => true);
    const source = `(steps, needsAxe) => (${findElements})(steps, needsAxe)[0]`;
    await this.#page.session.setFiles(source, [this.#steps, NEEDS_AXE], paths);
  }

  toString(): string {
    return JSON.stringify(this.#steps);
  }
}

const matchOf = (text: Text, exact = false): TextMatch =>
  typeof text === 'string' ? { text, exact } : { pattern: text.source, flags: text.flags };

/** Repeats an attempt until it succeeds, also while the page navigates. */
const waitUntil = <Result>(attempt: () => Promise<Result>): Promise<Result> =>
  vi.waitFor(attempt, { timeout: TIMEOUT_MS, interval: INTERVAL_MS });

/** Checks a page against axe's rules. The error names each finding and its place. */
export async function expectNoAxeFindings(page: EnginePage): Promise<void> {
  await page.loadAxe();
  const findings = await page.evaluate(async () => {
    const { axe: here } = window as unknown as { axe: typeof axe };
    const { violations } = await here.run();
    return violations.map(
      ({ id, help, nodes }) => `${id}: ${help} at ${nodes.map((n) => n.target.join(' ')).join(', ')}`,
    );
  });
  expect(findings).toEqual([]);
}
