import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { feed } from '../../src/lib/i18n/en/live-feed.ts';
import { reader as messages } from '../../src/lib/i18n/en/reader.ts';
import { test as base, PHONE } from '../support/browser.ts';
import { openLivePage, watchLayoutShifts, withoutSockets } from '../support/live-page.ts';
import {
  call,
  type Newsroom,
  paragraph,
  publishUrgent,
  type SavedUpdate,
  type UpdateContent,
} from '../support/newsroom.ts';
import { addPhoto } from '../support/photos.ts';

const test = base.extend('environment', withoutSockets);

const WARNING = 'Leave Quay Street and Mill Lane now.';
const NEWEST = 'The gate at the quay is closed.';

const contentOf = (text: string, urgency: 'normal' | 'urgent', more: Block[] = []) =>
  ({ body: [paragraph(text), ...more], urgency, bylines: [] }) as UpdateContent;

/** Changes an update as the editor. */
const reviseUrgency = (
  { people }: Newsroom,
  { id, version }: Pick<SavedUpdate, 'id' | 'version'>,
  urgency: 'normal' | 'urgent',
  text = WARNING,
  more: Block[] = [],
): Promise<SavedUpdate> => {
  const content = contentOf(text, urgency, more);
  return call(people.editor.client, 'revise_update', { update_id: id, version, content });
};

/** The first update of the coverage. */
async function firstUpdate({ people, coverage }: Newsroom): Promise<Pick<SavedUpdate, 'id' | 'version'>> {
  const updates = people.editor.client.from('updates').select('id, version');
  const { data } = await updates.eq('coverage_id', coverage.id).eq('number', 1).single().throwOnError();
  return data;
}

/** Bottom of the first line of the first visible occurrence of a text, in pixels from the top of the page. */
async function firstLineOf(page: Page, text: string): Promise<number> {
  const element = page.getByText(text).filter({ visible: true }).first();
  return element.evaluate((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return (range.getClientRects()[0]?.bottom ?? Number.POSITIVE_INFINITY) + window.scrollY;
  });
}

/** Opens the live page as soon as it shows the last change. */
async function openCurrent(page: Page, { people, coverage }: Newsroom): Promise<void> {
  const row = people.editor.client.from('coverages').select('seq').eq('id', coverage.id).single();
  const { seq } = (await row.throwOnError()).data;
  await expect
    .poll(async () => {
      await page.goto(`/live/${coverage.slug}`);
      return page.locator('#coverage').getAttribute('data-seq');
    })
    .toBe(`${seq}`);
}

test('shows the urgent and the newest update on the first screen of a phone, whatever else there is', async ({
  site,
  newsroom,
  visit,
}) => {
  const { client } = newsroom.people.editor;
  const content = {
    headline:
      'The Wenn is high at Ostley, and the council asks people by the quay to leave their homes tonight',
    kicker: 'Flood watch',
    standfirst:
      'Two days of rain in the hills are coming down the valley. We are at the bridge and the school.',
  };
  await call(client, 'save_coverage', { coverage_id: newsroom.coverage.id, version: 1, content });
  const { block } = await addPhoto(site, newsroom);
  const lead = await addPhoto(site, newsroom);
  const pinned = await newsroom.publish({
    headline: 'Beds in the school hall',
    body: [
      ...Array.from({ length: 6 }, () => paragraph('The hall is open all night. Bring blankets.')),
      block,
    ],
  });
  for (let n = 1; n <= 6; n++) await newsroom.publish({ headline: `Key event ${n}`, key_event: true });
  let warning = await publishUrgent(newsroom, WARNING);
  const summary = Array.from({ length: 4 }, () => paragraph('Nobody has been told to leave their home.'));
  const { page } = await visit({ viewport: PHONE, javaScriptEnabled: false });
  for (const photo of [false, true]) {
    // The newest and the urgent update have a photo, and the coverage has a lead photo.
    const photos = photo ? [block] : [];
    if (photo) await newsroom.publish({ body: [lead.block], key_event: true });
    await newsroom.publish({ body: [paragraph(NEWEST), ...photos] });
    for (const urgent of [true, false]) {
      warning = await reviseUrgency(newsroom, warning, urgent ? 'urgent' : 'normal', WARNING, photos);
      for (const isPinned of [true, false]) {
        await newsroom.pin(isPinned ? pinned : null);
        for (const hasSummary of [true, false]) {
          await newsroom.setSummary(hasSummary ? summary : []);
          await openCurrent(page, newsroom);
          expect(await page.locator('#lead-photo').isVisible()).toBe(photo);
          const combination = JSON.stringify({ photo, urgent, isPinned, hasSummary });
          expect.soft(await firstLineOf(page, NEWEST), combination).toBeLessThanOrEqual(PHONE.height);
          if (urgent) {
            const bottom = await firstLineOf(page, WARNING);
            expect.soft(bottom, combination).toBeLessThan(await firstLineOf(page, NEWEST));
          }
        }
      }
    }
  }
});

/** Number of the update that the reader reads, on the newest page. */
const READ = 16;

describe('the urgent banner of an open page', () => {
  test('appears, changes and goes without moving the text that is read, and is announced once', async ({
    newsroom,
    visit,
  }) => {
    for (let n = 1; n <= 24; n++) await newsroom.publish();
    for (const viewport of [PHONE, { width: 1440, height: 900 }]) {
      for (const scrolled of [true, false]) {
        const { page } = await visit({ viewport });
        const shifts = await watchLayoutShifts(page);
        const reader = await openLivePage(page, newsroom.coverage.slug);
        const banner = page.getByRole('region', { name: new RegExp(`^${messages.urgency.urgent}`) });
        const alert = page.getByRole('alert');
        if (scrolled) await reader.scrollTo(READ);
        const place = (await reader.positionOf(READ)).y;
        const expectSamePlace = async (step: string) => {
          const moved = Math.abs((await reader.positionOf(READ)).y - place);
          expect.soft(moved, `${step} ${JSON.stringify({ viewport, scrolled })}`).toBeLessThanOrEqual(1);
        };
        await alert.evaluate((element) => {
          const announced: string[] = [];
          Object.assign(window, { announced });
          new MutationObserver(() => announced.push(element.textContent)).observe(element, {
            childList: true,
            characterData: true,
            subtree: true,
          });
        });

        // An update of an older page, so that nothing in the list changes.
        const warning = await reviseUrgency(newsroom, await firstUpdate(newsroom), 'urgent');
        await reader.nextCheck();
        await expect.poll(() => banner.innerText()).toContain(WARNING);
        // At the top of the page the banner itself is in view, and the headline moves up.
        if (scrolled) await page.getByRole('button', { name: feed.urgent(WARNING) }).waitFor();
        else expect((await banner.boundingBox())?.y).toBeGreaterThanOrEqual(0);
        await expectSamePlace('appears');

        const changed = await reviseUrgency(newsroom, warning, 'urgent', 'Leave Mill Lane now, too.');
        await reader.nextCheck();
        await expect.poll(() => banner.innerText()).toContain('Leave Mill Lane now, too.');
        if (scrolled)
          await page.getByRole('button', { name: feed.urgent('Leave Mill Lane now, too.') }).waitFor();
        await expectSamePlace('changes');

        await reviseUrgency(newsroom, changed, 'normal');
        await reader.nextCheck();
        await banner.waitFor({ state: 'detached' });
        await expectSamePlace('goes');
        const announced = await page.evaluate(() => (window as unknown as { announced: string[] }).announced);
        expect(announced.filter((text) => text !== '')).toEqual([feed.urgent(WARNING)]);
        expect(await shifts()).toEqual([]);
        await page.close();
      }
    }
  });

  test('replaces the newest update above the list without moving the parts below', async ({
    newsroom,
    visit,
  }) => {
    for (let n = 1; n <= 12; n++) await newsroom.publish();
    await newsroom.setSummary([paragraph('The water is rising.')]);
    const { page } = await visit({ viewport: PHONE });
    const reader = await openLivePage(page, newsroom.coverage.slug);
    const summary = page.getByRole('region', { name: messages.summary });
    const before = await summary.boundingBox();
    await publishUrgent(newsroom, 'Leave now.');
    await reader.nextCheck();
    await expect.poll(() => reader.numbers()).toContain(13);
    const banner = page.getByRole('region', { name: new RegExp(`^${messages.urgency.urgent}`) });
    expect((await banner.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    const after = await summary.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(1);
    expect(await page.getByRole('region', { name: messages.newest }).count()).toBe(0);
  });

  test('comes into view from the bar, and goes when its update is withdrawn or the coverage ends', async ({
    newsroom,
    visit,
  }) => {
    for (let n = 1; n <= 6; n++) await newsroom.publish();
    const { page } = await visit({ viewport: PHONE });
    const reader = await openLivePage(page, newsroom.coverage.slug);
    await reader.scrollTo(3);
    const banner = page.getByRole('region', { name: new RegExp(`^${messages.urgency.urgent}`) });
    const first = await publishUrgent(newsroom, WARNING);
    await publishUrgent(newsroom, 'The bridge is closed.');
    await reader.nextCheck();
    await page.getByRole('button', { name: feed.urgent('The bridge is closed.') }).click();
    await expect.poll(() => reader.numbers()).toContain(8);
    expect((await banner.boundingBox())?.y).toBeGreaterThanOrEqual(0);

    const { data } = await newsroom.people.editor.client
      .from('updates')
      .select('id')
      .eq('coverage_id', newsroom.coverage.id)
      .eq('number', 8)
      .single();
    await call(newsroom.people.editor.client, 'withdraw_update', {
      update_id: data?.id,
      reason: 'It is open.',
    });
    await reader.nextCheck();
    await expect.poll(() => banner.innerText()).toContain(WARNING);
    expect(first.number).toBe(7);

    await newsroom.setState('ended');
    await reader.nextCheck();
    await banner.waitFor({ state: 'detached' });
  });
});
