import { expect, inject } from 'vitest';
import { test as base } from '../test.ts';
import { launchFirefox } from './firefox.ts';
import type { EngineName } from './installed.ts';
import { EnginePage } from './page.ts';
import type { SessionOptions, Size } from './session.ts';
import { launchWebKit } from './webkit.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser engine of the project, see vitest.config.ts. */
    engine: EngineName;
  }
}

const LAUNCH = { firefox: launchFirefox, webkit: launchWebKit };
/** A narrow phone. */
const PHONE: Size = { width: 360, height: 740 };

type Options = SessionOptions & {
  viewport?: Size;
  /** Address of a proxy in front of the site. The default is the site's own address. */
  baseURL?: string;
};

export type Visitor = {
  page: EnginePage;
  /** Allows an error that the test causes on purpose. */
  expectError(pattern: RegExp): void;
};

/**
 * A test with a real site in the engine of the project. `visit()` opens a window with its own cookies and stores. An
 * error in its console fails the test.
 */
export const test = base
  .extend('engineName', { scope: 'file' }, inject('engine'))
  .extend('engine', { scope: 'file' }, async ({ engineName }, { onCleanup }) => {
    const engine = await LAUNCH[engineName]();
    onCleanup(() => engine.close());
    return engine;
  })
  .extend('visit', async ({ site, engine }, { onCleanup }) => {
    const closing: (() => Promise<string[]>)[] = [];
    onCleanup(async () => {
      const errors: string[] = [];
      for (const close of closing) errors.push(...(await close()));
      expect(errors, 'errors in the browser').toEqual([]);
    });
    return async ({ viewport = PHONE, baseURL = site.url, ...options }: Options = {}): Promise<Visitor> => {
      const session = await engine.newSession(options);
      const expected: RegExp[] = [];
      closing.push(async () => {
        const errors = await session.errors();
        await session.close();
        return errors.filter((line) => !expected.some((pattern) => pattern.test(line)));
      });
      await session.resize(viewport);
      return { page: new EnginePage(session, baseURL), expectError: (pattern) => expected.push(pattern) };
    };
  });
