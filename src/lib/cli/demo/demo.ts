import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, readServerSettings } from '../../server/settings.ts';
import { startSite } from '../../server/site.ts';
import { buildSite } from '../build-site.ts';
import { publishNightUpdates } from './flood-night.ts';
import { makeNewsroom, sendTips } from './newsroom.ts';
import { createStaff } from './people.ts';
import { drawPhotos } from './photos.ts';

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
