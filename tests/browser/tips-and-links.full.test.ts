import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';
import { composer as composerMessages, deskLinks } from '../../src/lib/i18n/en/composer.ts';
import { tipQueue } from '../../src/lib/i18n/en/tip-queue.ts';
import { tips as words } from '../../src/lib/i18n/en/tips.ts';
import { RECEIPT_SCRIPTS_KB } from '../../src/lib/publishing/page-attributes.ts';
import { expectNoAxeFindings, test } from '../support/browser.ts';
import { WIDE_SCREEN } from '../support/chromium.ts';
import { callServer, type Newsroom, type People } from '../support/newsroom.ts';
import { signIn } from '../support/sign-in.ts';

/** A phone's photo: large and with its location. */
const photo = sharp({ create: { width: 1800, height: 1200, channels: 3, background: '#687' } })
  .jpeg()
  .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '53/1 20/1 0/1' } })
  .toBuffer()
  .then((jpeg) => Buffer.concat([jpeg, Buffer.alloc(1_200_000)]));
const PLACE = /Exif/;

/** Time for a tip with repeated waits on a busy machine. */
const LONGEST_MS = 120_000;
/** Milliseconds between two keys. Faster typing makes a tip suspicious, and it is held. */
const TYPING = { delay: 120 };

const FUNCTION = '**/functions/v1/submit-tip';
const UPLOAD = '**/storage/v1/upload/resumable/sign**';

/** The response of storage after the two hours of an upload permission. */
const EXPIRED = {
  statusCode: '400',
  error: 'InvalidJWT',
  message: '"exp" claim timestamp check failed',
};

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel(words.body).fill(text);
  await page
    .getByLabel(words.photo)
    .setInputFiles({ name: 'gate.jpg', mimeType: 'image/jpeg', buffer: await photo });
}
const tipsAbout = (people: People, { coverage }: Newsroom) =>
  callServer<object[]>(people.moderator.client, 'tip_queue', {
    filters: { view: 'all', coverage: coverage.id },
  });
const press = (page: Page) => page.getByRole('button', { name: words.send }).click();

/** Everything that the browser stores of tips, as one text. */
const storedTips = (page: Page) =>
  page.evaluate(async () => {
    const opening = indexedDB.open('stoppress');
    const store = await new Promise<IDBDatabase>((resolve) => {
      opening.onsuccess = () => resolve(opening.result);
    });
    const all = store.transaction('tips').objectStore('tips').getAll();
    await new Promise((resolve) => {
      all.onsuccess = resolve;
    });
    store.close();
    return JSON.stringify([all.result, { ...localStorage }]);
  });

test('sends a tip once from a live page over a failing connection, with a smaller photo without location', async ({
  newsroom,
  people,
  visit,
}) => {
  const { page, expectError } = await visit();
  expectError(/ERR_FAILED|400/);
  await page.goto(`/live/${newsroom.coverage.slug}`);
  await page.getByText(words.link, { exact: true }).first().click();
  await write(page, 'The lower gate is closed.');
  await page.reload();
  await page.getByText(words.link, { exact: true }).first().click();
  const text = page.getByLabel(words.body);
  await expect.poll(() => text.inputValue()).toBe('The lower gate is closed.');
  await write(page, 'The lower gate is open.');
  const ids: string[] = [];
  let hasStopped = false;
  // It arrives, but its response is lost.
  const renewals: object[] = [];
  await page.route(FUNCTION, async (route) => {
    const sent = route.request().postDataJSON();
    if (sent.again) {
      renewals.push(sent);
      return route.continue();
    }
    ids.push(sent.id);
    if (ids.length === 1) await route.fetch();
    await (hasStopped ? route.continue() : route.abort());
  });
  // The upload of the photo fails first, and then its permission has expired.
  let sent: Buffer = Buffer.alloc(0);
  let tries = 0;
  await page.route(UPLOAD, async (route) => {
    sent = route.request().postDataBuffer() ?? sent;
    tries += 1;
    if (tries === 1) return route.abort();
    await (tries === 2 ? route.fulfill({ status: 400, json: EXPIRED }) : route.continue());
  });
  await press(page);
  const online = () => page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.getByText(words.waitsHere).waitFor();
  await expectNoAxeFindings(page);
  await page.getByRole('button', { name: words.stop }).click();
  await expect.poll(() => text.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await text.isEditable()).toBe(true);
  hasStopped = true;
  await press(page);
  await page.getByText(words.photoWaitsHere).waitFor();
  // The newsroom has received the text, so the device no longer stores it.
  expect(await storedTips(page)).not.toContain('lower gate');
  await expectNoAxeFindings(page);
  await online();
  await page.getByText(words.photoReceived).waitFor();
  expect(new Set(ids).size).toBe(1);
  expect(renewals).toHaveLength(1);
  expect(JSON.stringify(renewals)).not.toContain('gate');
  expect((await photo).toString('latin1')).toMatch(PLACE);
  expect(sent.length).toBeGreaterThan(1000);
  expect(sent.toString('latin1')).not.toMatch(PLACE);

  await page.getByRole('link', { name: words.receiptLink }).click();
  await page.getByText(words.receipt.states.new).waitFor();
  await expectNoAxeFindings(page);

  expect(await tipsAbout(people, newsroom)).toMatchObject([
    { body: 'The lower gate is open.', photo: { state: 'ready' } },
  ]);
});

test(
  'restores a draft in another tab, sends a waiting tip once from any page with the form, and deletes its text',
  async ({ newsroom, people, visit }) => {
    const { page: first, expectError } = await visit();
    const context = first.context();
    expectError(/ERR_FAILED|4[0-9]{2}|500/);
    let isDead = true;
    /** Responses in place of the function's. */
    const fakeResponses: {
      status: number;
      headers?: Record<string, string>;
      json?: object;
      body?: string;
    }[] = [];
    const times: number[] = [];
    const calls: { id: string; website: string; took_ms: number; may_be_named: boolean }[] = [];
    await context.route(FUNCTION, async (route) => {
      const fakeResponse = fakeResponses.shift();
      times.push(Date.now());
      if (fakeResponse) return route.fulfill(fakeResponse);
      if (!isDead) calls.push(route.request().postDataJSON());
      await (isDead ? route.abort() : route.continue());
    });

    const path = `/tips?coverage=${newsroom.coverage.slug}`;
    await first.goto(path);
    await first.getByText(words.kept).waitFor();
    await first.getByLabel(words.body).pressSequentially('Seen from the mill.', TYPING);
    await first.close();
    const second = await context.newPage();
    await second.goto(path);
    await second.getByText(words.isBack).waitFor();
    expect(await second.getByLabel(words.body).inputValue()).toBe('Seen from the mill.');
    await expectNoAxeFindings(second);
    await second.getByLabel(words.name, { exact: true }).fill('Ada');
    await second.getByLabel(words.mayName).check();
    await write(second, 'Seen from the mill, twice.');
    fakeResponses.push({ status: 500, json: { code: 'internal', message: 'Not now.' } });
    await press(second);
    await second.getByText(words.waitsHere).waitFor();
    await second.close();

    // Two tabs with another page. Neither shows the text of the waiting tip.
    const tabs = await Promise.all([context.newPage(), context.newPage()]);
    for (const tab of tabs) {
      await tab.goto(`/live/${newsroom.coverage.slug}`);
      await tab.getByText(words.left).waitFor();
      expect(await tab.getByLabel(words.body).inputValue()).toBe('');
    }
    const [tab] = tabs;
    await expectNoAxeFindings(tab);
    expect(await storedTips(tab)).toContain('Seen from the mill, twice.');
    // A response of the gateway without an error code, with a longer wait than usual.
    fakeResponses.push({ status: 429, headers: { 'retry-after': '6' }, body: 'Too many.' });
    times.length = 0;
    isDead = false;
    for (const page of tabs) await page.evaluate(() => window.dispatchEvent(new Event('online')));
    const done = (page: Page) => page.getByText(words.photoReceived).count();
    await expect.poll(async () => (await done(tabs[0])) + (await done(tabs[1]))).toBe(1);
    for (const page of tabs) await page.getByText(words.left).waitFor({ state: 'hidden' });
    expect(await storedTips(tab)).not.toContain('mill');
    const [refusedAt = 0, acceptedAt = 0] = times;
    expect(times).toHaveLength(2);
    expect(acceptedAt - refusedAt).toBeGreaterThan(5900);
    expect(calls).toMatchObject([{ website: '', may_be_named: true }]);
    expect(calls[0]?.took_ms).toBeGreaterThan(0);
    expect(await tipsAbout(people, newsroom)).toMatchObject([
      {
        body: 'Seen from the mill, twice.',
        name: 'Ada',
        may_be_named: true,
        held: false,
        photo: { state: 'ready' },
      },
    ]);

    await tab.goto('/tips');
    const receipts = tab.getByRole('region', { name: words.receipts.title });
    await expectNoAxeFindings(tab);
    const receipt = await receipts.getByRole('link').getAttribute('href');
    await receipts.getByRole('button', { name: words.receipts.forget }).click();
    await receipts.waitFor({ state: 'hidden' });
    await tab.goto(receipt ?? '');
    await tab.getByText(words.receipt.states.new).waitFor();

    // Waiting tips expire after a day, for example on a shared device.
    isDead = true;
    await tab.goto('/tips');
    await tab.getByText(words.kept).waitFor();
    await tab.getByLabel(words.body).fill('Pressed, and never sent.');
    await press(tab);
    await tab.getByText(words.waitsHere).waitFor();
    await tab.close();
    const [, later] = tabs;
    const body = later.getByLabel(words.body);
    await later.goto('/tips');
    await later.getByText(words.left).waitFor();
    await body.fill('Written, and never pressed.');
    // A refused tip returns to the form when the form is empty.
    const refused = {
      status: 422,
      json: { code: 'invalid', message: 'invalid', reason: 'text_missing', field: 'body' },
    };
    fakeResponses.push(refused);
    await later.evaluate(() => window.dispatchEvent(new Event('online')));
    await later.getByText(words.leftRefused).waitFor();
    await expectNoAxeFindings(later);
    fakeResponses.push(refused);
    await later.reload();
    await later.getByText(words.leftRefused).waitFor();
    const changeIt = later.getByRole('button', { name: words.changeIt });
    await changeIt.click();
    await expect.poll(() => body.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await body.inputValue()).toBe('Written, and never pressed.');
    expect(await storedTips(later)).toContain('Pressed, and never sent.');
    await body.fill('');
    await changeIt.click();
    await expect.poll(() => body.inputValue()).toBe('Pressed, and never sent.');
    await changeIt.waitFor({ state: 'hidden' });
    await press(later);
    await later.getByText(words.waitsHere).waitFor();
    await later.reload();
    await later.getByText(words.left).waitFor();
    await body.fill('Written, and never pressed.');
    await later.clock.setSystemTime(Date.now() + 25 * 3_600_000);
    isDead = false; // Not before: a retry may come before the page is loaded again.
    await later.reload();
    await later.getByText(words.kept).waitFor();
    await expect.poll(() => storedTips(later)).not.toMatch(/never/);
    expect(await body.inputValue()).toBe('');
    expect(calls).toHaveLength(1);
  },
  LONGEST_MS,
);

test("offers to list a tip on the sender's account, and sends it without one after a sign-out", async ({
  people,
  visit,
}) => {
  const { page, expectError } = await visit();
  expectError(/401/);
  await signIn(page, people.reader);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  const tokens: boolean[] = [];
  await page.route(FUNCTION, async (route) => {
    tokens.push((await route.request().headerValue('authorization')) !== null);
    await route.continue();
  });
  await page.goto('/tips');
  await page.getByText(words.kept).waitFor();
  expect(requests).not.toContain('/api/me');
  const text = page.getByLabel(words.body);
  const mine = page.getByLabel(words.mine);
  const send = async (body: string) => {
    await text.fill(body);
    await mine.waitFor();
    await press(page);
  };
  const again = () => page.getByRole('button', { name: words.another }).click();

  await text.focus();
  await mine.waitFor();
  expect(await mine.isChecked()).toBe(true);
  await expectNoAxeFindings(page);
  await send('Mine.');
  await page.getByText(words.received).waitFor();
  await again();
  await mine.uncheck();
  await send('Without account.');
  await page.getByText(words.received).waitFor();
  await again();
  await text.fill('Mine, if I were still here.');
  await page.request.post('/auth/sign-out', { headers: { origin: new URL(page.url()).origin } });
  await press(page);
  await page.getByText(words.apart).waitFor();
  expect(tokens).toEqual([true, false, false]);
  expect(await callServer(people.reader.client, 'my_tips', {})).toMatchObject([
    { body: 'Mine.', state: 'new' },
  ]);
});

test("loads no script on a poor connection before the sender types, or asks for a receipt's state", async ({
  visit,
}) => {
  const { page } = await visit();
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { effectiveType: '2g' } }),
  );
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(...(/_astro.*\.js$/.exec(request.url()) ?? [])));
  await page.goto('/tips');
  await page.waitForLoadState('networkidle');
  expect(scripts).toEqual([]);
  const text = page.getByLabel(words.body);
  await text.pressSequentially('Slow.', { delay: 500 });
  await page.getByText(words.kept).waitFor();
  expect(await text.inputValue()).toBe('Slow.');
  await press(page);
  await page.getByRole('link', { name: words.receiptLink }).click();
  await page.getByRole('link', { name: words.receipt.look }).waitFor();
  await expectNoAxeFindings(page);
  scripts.length = 0;
  await page.waitForLoadState('networkidle');
  expect(scripts).toEqual([]);
  await page.getByRole('button', { name: words.receipt.follow(RECEIPT_SCRIPTS_KB) }).click();
  await page.getByRole('link', { name: words.receipt.look }).waitFor({ state: 'hidden' });
  await page.getByText(words.receipt.states.new).waitFor();
});

test('shows no thumbnail of a photo that was removed or discarded', async ({ visit }) => {
  const { page } = await visit();
  await page.goto('/tips');
  await page.getByText(words.kept).waitFor();
  await page.getByLabel(words.body).fill('The gate');
  await page.reload();
  await page.getByText(words.isBack).waitFor();
  // The thumbnail is drawn after the photo was removed.
  const drawing = await page.evaluateHandle(() => {
    const draw = window.createImageBitmap.bind(window);
    const start = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    window.createImageBitmap = async (image: ImageBitmapSource) => {
      await start.promise;
      return draw(image).finally(end.resolve);
    };
    return { start, end };
  });
  await write(page, 'The gate is open.');
  await page.getByLabel(words.photo).setInputFiles([]);
  await drawing.evaluate(async ({ start, end }) => {
    start.resolve();
    await end.promise;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  });
  const thumbnail = page.getByRole('img', { name: words.photoChosen });
  expect(await thumbnail.count()).toBe(0);

  await write(page, 'The gate is open.');
  await thumbnail.waitFor();
  await page.getByRole('button', { name: words.throwAway }).click();
  await thumbnail.waitFor({ state: 'detached' });
});

test('sends a tip with its photo without script, and keeps everything typed after a problem', async ({
  people,
  visit,
}) => {
  const { page, expectError } = await visit({ javaScriptEnabled: false });
  expectError(/422/);
  await page.goto('/tips');
  await page.getByLabel(words.name, { exact: true }).fill('Ada');
  await page.getByLabel(words.mayName).check();
  await write(page, 'x'.repeat(2001));
  await press(page);
  await page.getByText(words.problems.tooLong(2001, 2000)).waitFor();
  await page.getByText(words.photoAgain).waitFor();
  expect(await page.getByLabel(words.body).inputValue()).toHaveLength(2001);
  expect(await page.getByLabel(words.name, { exact: true }).inputValue()).toBe('Ada');
  expect(await page.getByLabel(words.mayName).isChecked()).toBe(true);
  await write(page, 'Seen from\nthe bridge.');
  await press(page);
  await page.getByText(words.receipt.states.new).waitFor();

  const { page: desk } = await visit();
  await signIn(desk, people.moderator);
  await desk.getByRole('link', { name: tipQueue.title, exact: true }).click();
  const row = desk.getByRole('listitem').filter({ hasText: 'the bridge.' });
  await row.getByText(tipQueue.sender.publish).waitFor();
  await row.getByText(tipQueue.photo.show).click();
  await expect
    .poll(() => row.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
  await expectNoAxeFindings(desk);
});

test('adds a link with the title of its page, or without one when the page does not answer', async ({
  newsroom,
  people,
  visit,
}) => {
  const { page, expectError } = await visit({ viewport: WIDE_SCREEN });
  expectError(/503/);
  await signIn(page, people.reporter);
  await page.goto(`/desk/${newsroom.coverage.slug}`);
  await page.route('**/functions/v1/unfurl-link', (route) => {
    const { url } = route.request().postDataJSON();
    return url.includes('inside')
      ? route.fulfill({
          status: 503,
          json: { code: 'unavailable', message: 'The page does not answer.' },
        })
      : route.fulfill({ json: { url, title: 'The river rises', site: 'The council' } });
  });
  const composer = page.getByRole('region', { name: composerMessages.title });
  await composer.getByLabel(composerMessages.body).fill('The council has written:');
  await composer.locator('summary').getByText(deskLinks.title, { exact: true }).click();
  const address = composer.getByLabel(deskLinks.address);
  await address.fill('council.example/gates');
  await address.press('Enter');
  await composer.getByRole('link', { name: 'The river rises' }).waitFor();
  await address.fill('https://inside.example/');
  await composer.getByRole('button', { name: deskLinks.add, exact: true }).click();
  await composer.locator('.problem').getByText(deskLinks.offline).waitFor();
  await expectNoAxeFindings(page);
  await composer.getByRole('button', { name: deskLinks.addPlain }).click();
  await composer.getByText(deskLinks.addedPlain).waitFor();
  await composer.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published as update 1').waitFor();

  await page.goto(`/live/${newsroom.coverage.slug}`);
  const links = page.locator('.link-block');
  await expect
    .poll(() => links.allInnerTexts())
    .toEqual([
      expect.stringMatching(/The river rises\s+The council/),
      expect.stringMatching(/inside\.example\s+inside\.example/),
    ]);
});
