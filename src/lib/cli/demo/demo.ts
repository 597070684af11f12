import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO } from '../../i18n/cli.ts';
import { failure, onStop } from '../../server/program.ts';
import { type Environment, readServerSettings } from '../../server/settings.ts';
import { startSite } from '../../server/site.ts';
import { buildSite } from '../build.ts';
import { publishNightUpdates } from './flood.ts';
import { drawPhotos, makeNewsroom, sendTips } from './newsroom.ts';
import { createStaff, DEMO_PASSWORD, PEOPLE } from './people.ts';

/**
 * Starts a demo newsroom on a temporary data folder. It reads only the address to listen on from the environment, so
 * that it cannot touch a real newsroom.
 * @param over aborts the start between two steps
 */
export async function startDemo({ PORT, HOST, SITE_URL }: Environment, over?: AbortSignal) {
  await buildSite();
  over?.throwIfAborted();
  const data = await mkdtemp(join(tmpdir(), 'stoppress-demo-'));
  const ending: (() => Promise<unknown>)[] = [() => rm(data, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of ending.toReversed()) await end();
  };
  try {
    const drawing = drawPhotos();
    // Awaited below; a failure before that must not end the process.
    drawing.catch(() => undefined);
    const site = await startSite(readServerSettings({ PORT, HOST, SITE_URL, STOPPRESS_DATA: data }), {
      mailbox: true,
    });
    ending.push(site.stop);
    over?.throwIfAborted();
    // Through the site's proxy, like a browser.
    const staff = await createStaff({ ...site.backend, url: site.url });
    ending.push(async () => {
      for (const client of Object.values(staff.clients)) await client.auth.stopAutoRefresh();
    });
    over?.throwIfAborted();
    const flood = await makeNewsroom(staff, await drawing);
    await sendTips(staff);
    const night = publishNightUpdates(staff, flood);
    ending.push(night.stop);
    // `mails` is a sentence with the address of the mailbox.
    return { url: site.siteUrl, mails: site.mails, staff, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the demo until the program is stopped, and prints its address and accounts. */
async function runDemo(): Promise<void> {
  const over = new AbortController();
  try {
    console.log(DEMO.starting);
    const starting = startDemo(process.env, over.signal);
    // Registered before the start has finished, so that a half-started demo is removed too.
    onStop(async () => {
      over.abort();
      await (await starting.catch(() => undefined))?.stop();
    });
    const demo = await starting;
    console.log(DEMO.ready(demo.url));
    for (const [role, { name, email }] of Object.entries(PEOPLE))
      console.log(DEMO.account(role, name, email));
    if (demo.mails) console.log(`\n${demo.mails}`);
    console.log(DEMO.password(DEMO_PASSWORD));
    process.send?.({ type: 'ready', url: demo.url });
  } catch (error) {
    if (!over.signal.aborted) {
      console.error(failure(error));
      process.exit(1);
    }
  }
}

if (import.meta.main) await runDemo();
