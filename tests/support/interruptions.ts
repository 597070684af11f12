import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { composer as words } from '../../src/lib/i18n/en/composer.ts';
import { deskPhotos } from '../../src/lib/i18n/en/photos.ts';
import { serviceClient } from './backend.ts';
import { openPersistentBrowser, WIDE_SCREEN } from './chromium.ts';
import { createNewsroom, type Newsroom } from './newsroom.ts';
import { seededRandom } from './random.ts';
import { signIn } from './sign-in.ts';
import { startSite, type TestSite } from './site.ts';
import { startMobileProxy } from './tcp-proxies.ts';

/** Interruptions of a reporter while an update is being sent. */
export const INTERRUPTIONS = ['cut', 'slow', 'flap', 'lost answer', 'tab', 'browser', 'server'] as const;
export type Interruption = (typeof INTERRUPTIONS)[number];
/** Time of an interruption: after the button, during the text, during the photo, or `LATER_MS` after the button. */
export const STEPS = ['press', 'words', 'photo', 'later'] as const;
export type Step = (typeof STEPS)[number];

export type Round = { interruption: Interruption; step: Step; hasPhoto: boolean };

/** Published texts by number, the photos of each update, and the duration. */
export type RoundsResult = { texts: string[]; photos: Map<string, string[]>; seconds: number };

/** The requests that send the text and the photo of an update. */
const UP = { words: 'POST /rest/v1/rpc/publish_update', photo: '/storage/v1/upload/resumable' };
/** Maximum wait for a step. The step may be over before the wait begins. */
const STEP_MS = 1000;
/** Duration of an interruption, of the two phases of a flapping connection, and of the wait in the step `later`. */
const HARM_MS = 500;
const FLAP_MS = { off: 60, on: 90 };
const LATER_MS = 300;
/** Pause between two checks for the updates. */
const POLL_MS = 500;
/** Maximum wait for all updates. Pauses between retries are up to a minute. */
const LONGEST_MS = 180_000;

/** Creates rounds from a seed. Each interruption occurs at each step once before any combination repeats. */
export function roundsOf(seed: number, count: number): Round[] {
  const { next } = seededRandom(seed);
  const all = INTERRUPTIONS.flatMap((interruption) => STEPS.map((step) => ({ interruption, step })));
  return Array.from({ length: count }, (_, n) => {
    if (n % all.length === 0) all.sort(() => next() - 0.5);
    const { interruption, step } = all[n % all.length] as (typeof all)[number];
    return { interruption, step, hasPhoto: step === 'photo' || next() < 0.3 };
  });
}

/**
 * Publishes an update in each round, with an interruption.
 * @param folder folder of the browser profile
 */
export async function runRounds(rounds: Round[], folder: string): Promise<RoundsResult> {
  const proxy = await startMobileProxy();
  const environment = { SITE_URL: proxy.url };
  let site = await startSite({ environment });
  proxy.setTarget(site.url);
  const newsroom = await createNewsroom(site);
  const browser = await openPersistentBrowser(folder);
  const file = { name: 'gate.png', mimeType: 'image/png', buffer: await picture() };
  const began = performance.now();
  let page = await openDesk(await browser.page(), proxy.url, newsroom);
  // The browser writes its session to disk when it closes.
  await browser.quit();
  await browser.open();
  page = await openDesk(await browser.page(), proxy.url, newsroom);

  async function restartServer(): Promise<void> {
    const { data, publishableKey, secretKey } = site;
    await site.stopProcess();
    const keys = { PUBLIC_SUPABASE_PUBLISHABLE_KEY: publishableKey, SUPABASE_SECRET_KEY: secretKey };
    const again = await startSite({ data, environment: { ...environment, ...keys } });
    const service = serviceClient({ url: again.url, publishableKey, secretKey });
    site = { ...again, publishableKey, secretKey, service };
    proxy.setTarget(site.url);
  }

  async function interrupt(interruption: Interruption, text: string): Promise<void> {
    if (interruption === 'cut') await disconnect(() => wait(HARM_MS));
    if (interruption === 'flap')
      for (let n = 0; n < 4; n += 1) await disconnect(() => wait(FLAP_MS.off)).then(() => wait(FLAP_MS.on));
    if (interruption === 'slow') {
      proxy.setPacketDelay(150);
      await wait(HARM_MS);
      proxy.setPacketDelay(0);
    }
    if (interruption === 'server') await restartServer();
    if (interruption === 'tab') await page.close({ runBeforeUnload: false });
    if (interruption === 'browser') await browser.kill().then(browser.open);
    if (interruption !== 'tab' && interruption !== 'browser') return;
    page = await openDesk(await browser.page(), proxy.url, newsroom);
    // If the browser ended before the command was stored, the text is still in the composer.
    if ((await boxOf(page).inputValue()) === text) await publish(page);
  }
  async function disconnect(until: () => Promise<unknown>): Promise<void> {
    proxy.cut();
    await until();
    proxy.restore();
  }

  try {
    for (const [n, { interruption, step, hasPhoto }] of rounds.entries()) {
      const text = textOf(n);
      await boxOf(page).fill(text);
      if (hasPhoto) await addPhoto(page, file, text);
      const isAsked = step === 'words' || step === 'photo' ? proxy.requested(UP[step]) : undefined;
      const isLost =
        interruption === 'lost answer'
          ? proxy.loseAnswer(UP[step === 'photo' ? 'photo' : 'words'])
          : undefined;
      await publish(page);
      if (isAsked) await Promise.race([isAsked, wait(STEP_MS)]);
      if (step === 'later') await wait(LATER_MS);
      if (isLost) await Promise.race([isLost, wait(STEP_MS)]);
      await interrupt(interruption, text);
    }
    return { ...(await arrived(site, newsroom, rounds)), seconds: (performance.now() - began) / 1000 };
  } finally {
    await browser.kill();
    await site.stop();
    await proxy.close();
  }
}

export const textOf = (round: number) => `Report ${round + 1} from the bridge`;

async function openDesk(page: Page, url: string, { coverage, people }: Newsroom): Promise<Page> {
  const desk = `${url}/desk/${coverage.slug}`;
  // On a phone the composer is closed at first.
  await page.setViewportSize(WIDE_SCREEN);
  await page.goto(desk);
  if (new URL(page.url()).pathname === '/sign-in') {
    await signInAt(page, url, people.reporter);
    await page.goto(desk);
  }
  await page.locator('.composer fieldset:not([disabled])').first().waitFor();
  return page;
}

/** Signs in by the form at another base URL. */
async function signInAt(page: Page, url: string, person: Newsroom['people']['reporter']): Promise<void> {
  const at = Object.assign(Object.create(page) as Page, { goto: (path: string) => page.goto(url + path) });
  await signIn(at, person);
}

const boxOf = (page: Page) => page.locator('.composer').getByLabel(words.body);
const publish = (page: Page) => boxOf(page).press('Control+Enter');

async function addPhoto(page: Page, file: { name: string; mimeType: string; buffer: Buffer }, alt: string) {
  const composer = page.locator('.composer');
  await composer.getByLabel(deskPhotos.add).setInputFiles(file);
  await composer.getByLabel(deskPhotos.alt).fill(alt);
}

/** Waits until all updates and photos are published, or until `LONGEST_MS` have passed. */
async function arrived(site: TestSite, { coverage }: Newsroom, rounds: Round[]) {
  const until = Date.now() + LONGEST_MS;
  const photos = rounds.filter(({ hasPhoto }) => hasPhoto).length;
  for (;;) {
    const { data: updates } = await site.service
      .from('updates')
      .select('number, body, update_photos(photos(alt, state))')
      .eq('coverage_id', coverage.id)
      .eq('state', 'published')
      .order('number')
      .throwOnError();
    const came = updates.map(({ body, update_photos }) => ({
      text: String(body[0]?.runs?.[0]?.text),
      ready: (update_photos as unknown as { photos: { alt: string; state: string } }[])
        .filter((one) => one.photos.state === 'ready')
        .map((one) => one.photos.alt),
    }));
    const isWhole = came.length >= rounds.length && came.flatMap(({ ready }) => ready).length >= photos;
    if (isWhole || Date.now() > until) {
      return {
        texts: came.map(({ text }) => text),
        photos: new Map(came.map(({ text, ready }) => [text, ready])),
      };
    }
    await wait(POLL_MS);
  }
}

/** Creates an image of some kilobytes, so that its upload takes some time. */
function picture(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  return sharp({ create: { width: 300, height: 200, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer();
}
