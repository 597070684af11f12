import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { test } from '../support/test.ts';

/** The air-to-ground transcript of a flight to the Moon; it lives beside the project, not in it. */
const TRANSCRIPT = resolve('../shared/data/apollo-11.feed.json');
const UPDATES = 1383;
const KEY_EVENTS = 18;

test.skipIf(!existsSync(TRANSCRIPT))(
  'older links lead through every update of a long transcript, each met once',
  { timeout: 120_000 },
  async ({ site }) => {
    await promisify(execFile)(
      process.execPath,
      ['src/lib/commands/import.ts', TRANSCRIPT, '--slug', 'apollo-11', '--state', 'ended'],
      { env: { ...process.env, STOPPRESS_DATA: site.data } },
    );
    const met: number[] = [];
    for (let path: string | undefined = '/live/apollo-11'; path; ) {
      // A client that runs no script, as a crawler or a text browser is.
      const html: string = await (await fetch(site.url + path)).text();
      met.push(...[...html.matchAll(/<article id="update-(\d+)"/g)].map(([, number]) => Number(number)));
      path = /<a href="([^"]+)" rel="next">Older<\/a>/.exec(html)?.[1];
    }
    expect(met).toEqual(Array.from({ length: UPDATES }, (_, n) => UPDATES - n));

    const events = await (await fetch(`${site.url}/live/apollo-11?show=key`)).text();
    expect([...events.matchAll(/<article id="update-/g)]).toHaveLength(KEY_EVENTS);
  },
);
