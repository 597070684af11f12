import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { buildSite } from '../../../src/lib/cli/build.ts';
import type { LiveCoverage } from '../../../src/lib/cli/demo/content.ts';
import { FLOOD } from '../../../src/lib/cli/demo/flood.ts';
import { drawPhotos, makeNewsroom } from '../../../src/lib/cli/demo/newsroom.ts';
import { createStaff, DEMO_PASSWORD, PEOPLE, type Staff } from '../../../src/lib/cli/demo/people.ts';
import { desk as messages } from '../../../src/lib/i18n/en/desk.ts';
import { wordpress as settings } from '../../../src/lib/i18n/en/integrations.ts';
import { setup } from '../../../src/lib/i18n/en/settings.ts';
import { launchChromium } from '../chromium.ts';
import { startSite, type TestSite } from '../site.ts';
import { until } from '../until.ts';
import { MISSING_REASON } from '../wordpress/installed.ts';
import { phpText, startWordPress, type WordPress } from '../wordpress/wordpress.ts';
import { settle } from './screen.ts';

/*
 * npm run pictures:wordpress
 *
 * Takes the pictures of docs/wordpress.md: each step in a real WordPress and at the desk of the demo newsroom. It fails
 * if a screen does not show what the document says. The addresses of this machine are replaced by those of the document.
 */

const FOLDER = 'docs/pictures';
const WIDE = { width: 1200, height: 760 };
const PHONE = { width: 360, height: 740 };
/** On a busy machine a screen takes some seconds. */
const TIMEOUT_MS = 90_000;
/** Addresses in docs/wordpress.md. */
const SITE_THERE = 'https://live.courier.example';
const WORDPRESS_THERE = 'https://courier.example';

/** Writes what the page shows, or a part of it, as `docs/pictures/wordpress-NAME.webp`. */
async function save(name: string, page: Page, part?: Locator): Promise<void> {
  await page.evaluate(async () => {
    for (const image of document.images) image.loading = 'eager';
    await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
  });
  const path = `${FOLDER}/wordpress-${name}.webp`;
  const { size } = await sharp(await (part ?? page).screenshot())
    .webp({ quality: 78, effort: 6 })
    .toFile(path);
  console.log(`${path}: ${Math.ceil(size / 1024)} KB`);
}

/** Signs a browser in to WordPress, with a name that a person could have. */
async function signInThere(context: BrowserContext, wordpress: WordPress, role: string): Promise<void> {
  const { cookie = '' } = await wordpress.signIn(role);
  await wordpress.php(`
    foreach ( get_users( array( 'search' => ${phpText(`${role}*`)} ) ) as $user ) {
      wp_update_user( array( 'ID' => $user->ID, 'display_name' => 'Nora Hale' ) );
      update_user_meta( $user->ID, 'wp_persisted_preferences', array(
        'core/edit-post' => array( 'welcomeGuide' => false, 'fullscreenMode' => true ),
        '_modified' => gmdate( 'c' ),
      ) );
    }
    return true;`);
  await context.addCookies(
    cookie.split('; ').map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return { name, value, url: wordpress.url };
    }),
  );
}

async function signInAtDesk(page: Page, site: TestSite, role: keyof typeof PEOPLE): Promise<void> {
  await page.goto(`${site.url}/sign-in`);
  await page.fill('[name=email]', PEOPLE[role].email);
  await page.fill('[name=password]', DEMO_PASSWORD);
  await page.press('[name=password]', 'Enter');
  await page.waitForURL((url) => url.pathname !== '/sign-in');
}

/** Replaces addresses of this machine, and other words, in the texts and fields of a page. */
const replaceAddresses = (
  page: Page,
  site: TestSite,
  wordpress: WordPress,
  ...more: (readonly [string, string])[]
) =>
  page.evaluate(
    (pairs) => {
      const replace = (text: string) => pairs.reduce((all, [from, to]) => all.replaceAll(from, to), text);
      for (const field of document.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), textarea'))
        field.value = replace(field.value);
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode as Text;
        const replaced = replace(text.data);
        if (replaced !== text.data) text.data = replaced;
      }
    },
    [
      [site.url, SITE_THERE],
      [wordpress.url, WORDPRESS_THERE],
      // The editor leaves the scheme out.
      [new URL(wordpress.url).host, new URL(WORDPRESS_THERE).host],
      ...more,
    ] as (readonly [string, string])[],
  );

/** Step 3: the setup of a site without an owner. */
async function takeSetup(browser: Browser, site: TestSite): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 820, height: 1150 } });
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto(`${site.url}/setup`);
  await page.fill('[name=code]', '7KQM-4TZP-0W3B-XN8D');
  await page.fill('[name=site_name]', 'The Ostley Courier');
  await page.locator('[name=time_zone]').selectOption('Europe/Dublin');
  await page.fill('[name=name]', 'Marian Askew');
  await page.fill('[name=email]', 'marian@courier.example');
  await page.fill('[name=password]', 'a long password');
  await page.getByRole('button', { name: setup.submit }).waitFor();
  // Takes the focus off the password.
  await page.getByRole('heading', { name: setup.title }).click();
  await save('setup', page);
  await page.context().close();
}

/** Step 5: the form that uploads the plugin. */
async function takeUpload(page: Page, wordpress: WordPress): Promise<void> {
  await page.goto(`${wordpress.url}/wp-admin/plugin-install.php?tab=upload`);
  const file = { name: 'stoppress.zip', mimeType: 'application/zip', buffer: Buffer.from('') };
  await page.locator('#pluginzip').setInputFiles(file);
  await page.locator('#install-plugin-submit:not([disabled])').waitFor();
  await page.setViewportSize({ ...WIDE, height: 420 });
  await save('upload', page);
  await page.setViewportSize({ ...WIDE, height: 860 });
}

/** The menu of the newspaper, as the site editor stores it. */
const MENU = ['News', 'Sport', 'Weather']
  .map((label) => {
    const url = `${WORDPRESS_THERE}/${label.toLowerCase()}`;
    return `<!-- wp:navigation-link ${JSON.stringify({ label, url, kind: 'custom' })} /-->`;
  })
  .join('');

/** Steps 5, 6 and 10: the plugin, its settings, connected, and the transfer with its code. */
async function takeTransfer(browser: Browser, site: TestSite, wordpress: WordPress): Promise<void> {
  const people = [
    ['Ada Quay', 'ada', 'editor'],
    ['Ben Weir', 'ben', 'author'],
    ['Cleo Lock', 'cleo', 'contributor'],
  ] as const;
  for (const [name, login, role] of people)
    await wordpress.php(`
      return wp_insert_user( array( 'user_login' => '${login}', 'user_pass' => wp_generate_password(), 'user_email' => '${login}@courier.example', 'display_name' => '${name}', 'role' => '${role}' ) );`);
  await wordpress.php(`
    return wp_insert_post( wp_slash( array( 'post_type' => 'wp_navigation', 'post_status' => 'publish', 'post_title' => 'Header', 'post_content' => ${phpText(MENU)} ) ) );`);
  const page = await browser.newPage({ viewport: { ...WIDE, height: 860 } });
  page.setDefaultTimeout(TIMEOUT_MS);
  await signInThere(page.context(), wordpress, 'administrator');
  await takeUpload(page, wordpress);
  await page.goto(`${wordpress.url}/wp-admin/plugins.php`);
  const plugin = page.locator('tr[data-plugin="stoppress/stoppress.php"]');
  await plugin.getByRole('link', { name: 'Deactivate' }).waitFor();
  await plugin.getByRole('link', { name: 'Settings' }).waitFor();
  await save('plugin', page, page.locator('#bulk-action-form .wp-list-table'));
  await signInAtDesk(page, site, 'owner');
  await page.goto(`${site.url}/desk/site/wordpress`);
  await page.getByRole('button', { name: settings.transfer.make }).click();
  const code = await page.locator('textarea#code').inputValue();
  await save('code', page, page.locator('#transfer'));
  await page.goto(`${wordpress.url}/wp-admin/options-general.php?page=stoppress`);
  await page.fill('#stoppress_site', site.url);
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await page.locator('#stoppress-connection.notice-success').waitFor();
  for (const [name] of people) await page.getByLabel(name).check();
  await page.fill('#stoppress-code', code);
  await replaceAddresses(page, site, wordpress);
  await save('settings', page);
  // Saving the page again would save the replaced address, but Send is a form of its own.
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('#stoppress-transfer.notice-success').waitFor();
  await page.goto(`${site.url}/desk/site/wordpress#transfer`);
  await page.getByRole('button', { name: settings.transfer.accept }).waitFor();
  await settle(page);
  await replaceAddresses(page, site, wordpress);
  await save('transfer', page, page.locator('#transfer'));
  await page.context().close();
}

/** What WordPress offers to scripts in its editor. */
type Store = Record<string, (...values: unknown[]) => unknown>;
type Block = { name: string; isValid: boolean; innerBlocks: Block[] };
type EditorWindow = {
  wp?: {
    blocks: { createBlock(name: string): unknown };
    data: { select(store: string): Store; dispatch(store: string): Store };
  };
};

async function openEditor(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForFunction(() =>
    (window as EditorWindow).wp?.data.select('core/editor').getCurrentPostId?.(),
  );
}

/** Step 7: a coverage that was just created. It goes live. */
async function takeCoverage(browser: Browser, site: TestSite): Promise<void> {
  const page = await browser.newPage({ viewport: { ...WIDE, height: 480 } });
  page.setDefaultTimeout(TIMEOUT_MS);
  await signInAtDesk(page, site, 'editor');
  await page.goto(`${site.url}/desk`);
  await page.getByRole('link', { name: messages.overview.make }).click();
  await page.getByLabel(messages.make.headline, { exact: true }).fill('Election night in Ostley');
  await page.getByRole('button', { name: messages.make.submit }).click();
  const goLive = page.getByRole('button', { name: messages.coverage.moves.draft.live });
  await goLive.waitFor();
  await settle(page);
  await save('coverage', page);
  await goLive.click();
  await page.locator('.state-button b.live').waitFor();
  await page.context().close();
}

/** Step 8: the block in the editor, before and after the choice of a coverage and a layout. @returns the post's URL */
async function takeBlock(browser: Browser, wordpress: WordPress): Promise<string> {
  const page = await browser.newPage({ viewport: WIDE });
  page.setDefaultTimeout(TIMEOUT_MS);
  // The editor loads pictures from WordPress's own servers.
  await page.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  await signInThere(page.context(), wordpress, 'author');
  await openEditor(page, `${wordpress.url}/wp-admin/post-new.php`);
  await page.evaluate(() => {
    const { wp } = window as EditorWindow;
    wp?.data.dispatch('core/editor').editPost?.({ title: 'The Wenn is high: follow it here' });
    wp?.data.dispatch('core/block-editor').insertBlocks?.(wp.blocks.createBlock('stoppress/live-coverage'));
  });
  const canvas = page.frameLocator('iframe[name="editor-canvas"]');
  const coverage = canvas.getByLabel('Coverage', { exact: true });
  await coverage.locator('option').nth(1).waitFor({ state: 'attached' });
  await save('block', page);
  await coverage.selectOption(FLOOD.slug);
  await canvas.locator('article[data-number]').first().waitFor();
  await page.getByLabel('Layout', { exact: true }).waitFor();
  await page.getByLabel('Number of updates').first().waitFor();
  await save('layout', page);
  const post = await page.evaluate(async () => {
    const { wp } = window as EditorWindow;
    const editor = wp?.data.dispatch('core/editor');
    editor?.editPost?.({ status: 'publish' });
    await editor?.savePost?.();
    return wp?.data.select('core/editor').getPermalink?.() as string;
  });
  await page.context().close();
  return post;
}

/** Step 9: the post as readers see it. */
async function takePost(browser: Browser, post: string): Promise<void> {
  for (const [name, viewport, deviceScaleFactor] of [
    ['post', { ...WIDE, height: 1400 }, 1],
    ['post-phone', PHONE, 2],
  ] as const) {
    const page = await browser.newPage({ viewport, deviceScaleFactor });
    page.setDefaultTimeout(TIMEOUT_MS);
    // A site on a busy machine may take too long for its first answer, and is then asked a minute later.
    await until(
      'WordPress shows the part',
      async () => {
        await page.goto(post);
        return (await page.locator('article[data-number]').count()) > 0;
      },
      TIMEOUT_MS,
    );
    await save(name, page);
    await page.context().close();
  }
}

/** The page on which an owner connects WordPress, after the test. */
async function takeConnection(
  browser: Browser,
  site: TestSite,
  wordpress: WordPress,
  user: { username: string; password: string },
): Promise<void> {
  const page = await browser.newPage({ viewport: WIDE });
  page.setDefaultTimeout(TIMEOUT_MS);
  await signInAtDesk(page, site, 'owner');
  await page.goto(`${site.url}/desk/site/wordpress`);
  await page.getByLabel(settings.url, { exact: true }).fill(wordpress.url);
  await page.getByLabel(settings.username, { exact: true }).fill(user.username);
  await page.getByLabel(settings.password, { exact: true }).fill(user.password);
  await page.getByRole('button', { name: settings.save }).click();
  await page.getByText(settings.tested('Live desk')).waitFor();
  await replaceAddresses(page, site, wordpress, [user.username, 'live-desk']);
  await save('connection', page);
  await page.context().close();
}

/** A draft of an update with photos: at the desk, and in the editor of WordPress. */
async function takeDraft(
  browser: Browser,
  site: TestSite,
  staff: Staff,
  wordpress: WordPress,
  flood: LiveCoverage,
): Promise<void> {
  const user = await wordpress.applicationPassword('editor');
  await wordpress.php(`
    return wp_update_user( array( 'ID' => get_user_by( 'login', '${user.username}' )->ID, 'display_name' => 'Live desk' ) );`);
  await takeConnection(browser, site, wordpress, user);
  const update = await publishWithPhotos(staff, flood);
  const page = await browser.newPage({ viewport: WIDE });
  page.setDefaultTimeout(TIMEOUT_MS);
  await signInAtDesk(page, site, 'editor');
  await page.goto(`${site.url}/desk/${FLOOD.slug}`);
  await settle(page);
  const row = page.locator('.desk-row.published').filter({ hasText: update }).first();
  await row.getByRole('button', { name: messages.wordpress.make }).click();
  const link = row.getByRole('link', { name: messages.wordpress.open });
  await link.waitFor();
  await save('draft-at-desk', page, row);
  const draft = (await link.getAttribute('href')) ?? '';
  await signInThere(page.context(), wordpress, 'administrator');
  await openEditor(page, draft);
  const invalid = await page.evaluate(() => {
    const all = (blocks: Block[]): Block[] => blocks.flatMap((block) => [block, ...all(block.innerBlocks)]);
    const editor = (window as EditorWindow).wp?.data.select('core/block-editor');
    return all((editor?.getBlocks?.() ?? []) as Block[])
      .filter(({ isValid }) => !isValid)
      .map(({ name }) => name);
  });
  if (invalid.length > 0) throw new Error(`The editor refuses blocks of the draft: ${invalid.join(', ')}`);
  const canvas = page.frameLocator('iframe[name="editor-canvas"]');
  await canvas.locator('figure.wp-block-image img').nth(1).waitFor();
  await replaceAddresses(page, site, wordpress);
  await save('draft', page);
  await page.context().close();
}

/** Publishes an update with two photos of the coverage. @returns its headline */
async function publishWithPhotos(staff: Staff, flood: LiveCoverage): Promise<string> {
  const [first, second] = Object.values(flood.photos).map((photo) => ({ type: 'photo' as const, photo }));
  const text = (words: string) => ({ type: 'paragraph' as const, runs: [{ text: words }] });
  const headline = 'The morning in pictures';
  const content = {
    headline,
    body: [
      text('The water at Ferry Steps fell by a hand’s breadth overnight.'),
      ...(first ? [first] : []),
      text('Volunteers had filled sandbags until two. The school served soup.'),
      ...(second ? [second] : []),
      { type: 'map' as const, name: 'Ferry Steps', latitude: 53.3, longitude: -2.2 },
    ],
  };
  const names = { idempotency_key: randomUUID(), coverage_id: flood.id, update_id: randomUUID() };
  await staff.clients.editor.rpc('publish_update', { ...names, content }).throwOnError();
  return headline;
}

if (MISSING_REASON) throw new Error(`WordPress cannot run here: ${MISSING_REASON}.`);
await buildSite();
const wordpress = await startWordPress('6.5');
const site = await startSite({ environment: { STOPPRESS_PRIVATE_WORDPRESS: wordpress.url } });
const browser = await launchChromium();
try {
  await takeSetup(browser, site);
  const staff = await createStaff(site);
  const flood = await makeNewsroom(staff, await drawPhotos());
  await takeTransfer(browser, site, wordpress);
  await takeCoverage(browser, site);
  await takePost(browser, await takeBlock(browser, wordpress));
  await takeDraft(browser, site, staff, wordpress, flood);
  for (const client of Object.values(staff.clients)) await client.auth.stopAutoRefresh();
} finally {
  await browser.close();
  await site.stop();
  await wordpress.stop();
}
