import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startDemo } from '../../../src/lib/cli/demo/demo.ts';
import { FLOOD } from '../../../src/lib/cli/demo/flood.ts';
import { DEMO_PASSWORD, PEOPLE } from '../../../src/lib/cli/demo/people.ts';
import type { BackendClient } from '../../../src/lib/data/result.ts';
import { launchChromium } from '../chromium.ts';
import { createAccount } from '../newsroom.ts';
import { startSite, type TestSite } from '../site.ts';
import { type NewsroomName, type Screen, type ScreenGroup, settle } from './screen.ts';
import { GROUPS, LAST_GROUP } from './screens.ts';
import { pictureName, type Variant, writeSheet } from './sheet.ts';

/*
 * npm run pictures [-- WORD…]
 *
 * Takes a picture of every screen in every state, in both languages, light and dark, on a phone and a wide screen.
 * Writes a contact sheet of them. Words restrict the screens to those whose group or name contains one of the words.
 * Without words, or with the word `readme`, it also takes the two pictures of the README.
 */

const FOLDER = resolve('.stoppress/pictures');
const SIZES = { phone: { width: 360, height: 740 }, wide: { width: 1440, height: 900 } } as const;
/** Height in pixels at which longer pages are cut. Chromium cannot take taller pictures. */
const MAX_HEIGHT = 16_000;
/** On a busy machine a screen takes some seconds. */
const TIMEOUT_MS = 20_000;

const LANGUAGES = ['en', 'es'] as const;
type Language = (typeof LANGUAGES)[number];
const SCHEMES = ['light', 'dark'] as const;

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const isRequested = (...names: string[]) =>
  words.length === 0 || words.some((word) => names.some((name) => name.toLowerCase().includes(word)));

const groups: ScreenGroup[] = GROUPS.map(({ title, screens }) => ({
  title,
  screens: screens.filter(({ name }) => isRequested(title, name)),
})).filter(({ screens }) => screens.length > 0);

type Newsroom = { url: string; setLanguage(language: Language): Promise<void> };

/** Takes the pictures of a newsroom in one language. Each role signs in once. */
class Photographer {
  private readonly contexts = new Map<string, Promise<BrowserContext>>();
  private readonly browser: Browser;
  private readonly newsrooms: Record<NewsroomName, Newsroom>;
  private readonly language: Language;

  constructor(browser: Browser, newsrooms: Record<NewsroomName, Newsroom>, language: Language) {
    this.browser = browser;
    this.newsrooms = newsrooms;
    this.language = language;
  }

  /** @returns the names of the pictures */
  async take(group: string, screen: Screen): Promise<string[]> {
    const files: string[] = [];
    const context = await this.contextOf(screen);
    // A state may depend on the width, so each width has its own page.
    for (const [device, size] of Object.entries(SIZES)) {
      if (screen.only && screen.only !== device) continue;
      const page = await context.newPage();
      await page.setViewportSize(size);
      await page.goto(screen.path);
      await settle(page);
      await screen.prepare?.(page);
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme });
        const name = pictureName(group, screen.name, { language: this.language, scheme, width: size.width });
        await photograph(page, join(FOLDER, name));
        files.push(name);
      }
      await screen.restore?.(page);
      await page.close();
    }
    return files;
  }

  async close(): Promise<void> {
    for (const context of this.contexts.values()) await (await context).close();
  }

  private contextOf({ newsroom = 'demo', as }: Screen): Promise<BrowserContext> {
    const key = `${newsroom} ${as ?? ''}`;
    const context = this.contexts.get(key) ?? this.openContext(newsroom, as);
    this.contexts.set(key, context);
    return context;
  }

  private async openContext(newsroom: NewsroomName, as: Screen['as']): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      baseURL: this.newsrooms[newsroom].url,
      locale: this.language === 'es' ? 'es-ES' : 'en-GB',
      serviceWorkers: 'block',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    if (as) await signIn(context, PEOPLE[as].email);
    return context;
  }
}

async function signIn(context: BrowserContext, email: string): Promise<void> {
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', DEMO_PASSWORD);
  await page.press('[name=password]', 'Enter');
  await page.waitForURL((url) => url.pathname !== '/sign-in');
  await page.close();
}

/** Loads all photos and takes a picture of the page, up to a height. */
async function photograph(page: Page, path: string): Promise<void> {
  const { height, isScrolled } = await page.evaluate(async () => {
    for (const image of document.images) image.loading = 'eager';
    await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
    return { height: document.documentElement.scrollHeight, isScrolled: scrollY > 0 };
  });
  const { width = 0 } = page.viewportSize() ?? {};
  // A panel that fills a phone's screen is at the scroll position. A picture of the whole page would miss it.
  if (isScrolled && width === SIZES.phone.width) {
    await page.screenshot({ path });
    return;
  }
  // Without a clip, the height is that at the time of the picture: content may have arrived since it was measured.
  const clip = height > MAX_HEIGHT ? { x: 0, y: 0, width, height: MAX_HEIGHT } : undefined;
  await page.screenshot({ path, fullPage: true, ...(clip && { clip }) });
}

/** Sets the language of the site and of its coverages, so that the whole interface uses it. */
async function setDemoLanguage(owner: BackendClient, editor: BackendClient, language: Language) {
  await owner.rpc('save_site', { idempotency_key: randomUUID(), content: { language } }).throwOnError();
  const { data } = await editor.from('coverages').select('id, version').throwOnError();
  for (const { id, version } of data)
    await editor
      .rpc('save_coverage', {
        idempotency_key: randomUUID(),
        coverage_id: id,
        version,
        content: { language },
      })
      .throwOnError();
}

/** Sets up an empty newsroom with an owner and one empty coverage. */
async function openNewNewsroom(site: TestSite): Promise<Newsroom> {
  const { service } = site;
  const content = { name: 'The Ostley Courier', language: 'en', time_zone: 'Europe/London' };
  const { id } = await createAccount(site, { email: PEOPLE.owner.email, password: DEMO_PASSWORD });
  const call = (name: string, args: Record<string, unknown>) =>
    service.rpc(name, { idempotency_key: randomUUID(), ...args }).throwOnError();
  await call('save_site', { content: { ...content, setup_checklist: true } });
  await call('set_role', { person_id: id, role: 'owner' });
  return {
    url: site.url,
    async setLanguage(language) {
      await call('save_site', { content: { language } });
    },
  };
}

async function takeReadmePictures(browser: Browser, url: string): Promise<void> {
  const phone = await browser.newPage({ viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 });
  await phone.goto(`${url}/live/${FLOOD.slug}`);
  await settle(phone);
  await phone.screenshot({ path: 'docs/pictures/reader-360.png' });
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  await signIn(context, PEOPLE.editor.email);
  const desk = await context.newPage();
  await desk.goto(`/desk/${FLOOD.slug}`, { waitUntil: 'networkidle' });
  await desk.screenshot({ path: 'docs/pictures/desk.png' });
}

/**
 * Adds Source Serif 4 to the fonts of this machine. The style sheets name this typeface, and the Open Graph images use
 * it. Most build machines have none of the serif typefaces that readers have. Only an installed Chromium uses it.
 */
async function useSourceSerif(): Promise<void> {
  const path = join(FOLDER, 'fonts.conf');
  const fonts = resolve('node_modules/@expo-google-fonts/source-serif-4');
  await writeFile(
    path,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${fonts}</dir>
  <cachedir>${join(FOLDER, 'fonts-cache')}</cachedir>
</fontconfig>
`,
  );
  process.env.FONTCONFIG_FILE = path;
}

await mkdir(FOLDER, { recursive: true });
await useSourceSerif();
const demo = await startDemo({ PORT: '0' });
const sites = await Promise.all([startSite(), startSite()]);
const browser = await launchChromium();
try {
  const [empty, unset] = sites;
  const newsrooms: Record<NewsroomName, Newsroom> = {
    demo: {
      url: demo.url,
      setLanguage: (language) =>
        setDemoLanguage(demo.staff.clients.owner, demo.staff.clients.editor, language),
    },
    new: await openNewNewsroom(empty),
    // Before the setup, pages are in the language of the browser.
    unset: { url: unset.url, setLanguage: async () => undefined },
  };
  if (isRequested('readme')) await takeReadmePictures(browser, demo.url);
  const files = new Set<string>();
  const isLast = ({ title }: ScreenGroup) => title === LAST_GROUP;
  const passes = [groups.filter((group) => !isLast(group)), groups.filter(isLast)];
  for (const [pass, language] of passes.flatMap((pass) => LANGUAGES.map((each) => [pass, each] as const))) {
    for (const newsroom of Object.values(newsrooms)) await newsroom.setLanguage(language);
    const photographer = new Photographer(browser, newsrooms, language);
    for (const { title, screens } of pass)
      for (const screen of screens) {
        // If one state fails, the other pictures are still taken.
        try {
          for (const name of await photographer.take(title, screen)) files.add(name);
        } catch (error) {
          console.error(`${title}, ${screen.name} (${language}): ${(error as Error).message}`);
          process.exitCode = 1;
        }
      }
    await photographer.close();
  }
  const variants: Variant[] = LANGUAGES.flatMap((language) =>
    Object.values(SIZES).flatMap(({ width }) => SCHEMES.map((scheme) => ({ language, scheme, width }))),
  );
  console.log(`${files.size} pictures: ${await writeSheet(FOLDER, groups, variants, files)}`);
} finally {
  await browser.close();
  for (const site of sites) await site.stop();
  await demo.stop();
}
