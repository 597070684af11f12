import type { Locator, Page, Route } from 'playwright-core';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { test as base, type Visitor } from './browser.ts';
import { WIDE_SCREEN } from './chromium.ts';
import type { Newsroom, Person, Role } from './newsroom.ts';
import { signInWithoutForm } from './sign-in.ts';
import type { TestSite } from './site.ts';

/** The desk as a reporter uses it, by labels and buttons. Each method waits until the desk confirms the action. */
export type DeskPage = {
  page: Page;
  publish(body: string): Promise<void>;
  revise(number: number, body: string): Promise<void>;
  correct(number: number, body: string, note: string): Promise<void>;
  withdraw(number: number, reason: string): Promise<void>;
};

/** Signs a person in and opens the desk of a coverage. */
export async function openDesk(page: Page, person: Person, slug: string): Promise<DeskPage> {
  await page.setViewportSize(WIDE_SCREEN);
  await signInWithoutForm(page, person);
  await page.goto(`/desk/${slug}`);
  const composer = page.getByRole('region', { name: composerWords.title });
  const row = (number: number) =>
    page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: words.list.number(number), exact: true }) });
  const write = (form: Locator, body: string) => form.getByLabel(composerWords.body).fill(body);
  const change = async (number: number, body: string) => {
    await row(number).getByRole('button', { name: /^Edit/ }).click();
    await write(row(number), body);
  };
  const save = async (number: number) => {
    await row(number).getByRole('button', { name: words.saving.change }).click();
    await row(number).getByRole('button', { name: /^Edit/ }).waitFor();
  };
  return {
    page,
    async publish(body) {
      await write(composer, body);
      await composer.getByRole('button', { name: 'Publish' }).click();
      await composer.getByText('Published as update').waitFor();
    },
    async revise(number, body) {
      await change(number, body);
      await save(number);
    },
    async correct(number, body, note) {
      await change(number, body);
      await row(number)
        .getByRole('radio', { name: /^Correction/ })
        .check();
      await row(number).getByLabel(words.change.note).fill(note);
      await save(number);
    },
    async withdraw(number, reason) {
      await row(number)
        .getByRole('button', { name: /^Withdraw/ })
        .click();
      await row(number).getByLabel(words.withdraw.reason).fill(reason);
      await row(number).getByRole('button', { name: 'Withdraw', exact: true }).click();
      await row(number).getByText('Withdrawn', { exact: true }).waitFor();
    },
  };
}

/** A desk in a browser whose clock the test controls. */
export type Desk = Visitor & {
  composer: ReturnType<Page['locator']>;
  box: ReturnType<Page['getByLabel']>;
  /** The row of the list that contains a text. */
  row(text: string): ReturnType<Page['locator']>;
  /** Stops the clock, so that the desk does not refetch until `nextRefetch`. */
  pauseClock(): Promise<void>;
  /** Advances the clock until the desk refetches, with or without a socket. */
  nextRefetch(): Promise<void>;
  /** Waits until the desk has joined its channel. */
  joined(): Promise<void>;
  /** Advances the clock until the access token has expired. */
  outliveToken(): Promise<void>;
};

/** Interval in which a desk refetches while its channel is joined. */
const REFETCH_MS = 30_000;
/** Leads in milliseconds, tried in order. A stop fails if the clock has already passed the time of the stop. */
const CLOCK_LEADS_MS = [200, 2_000, 10_000];
/** Longer than the lifetime of an access token. */
const TOKEN_LIFETIME_MS = 3_700_000;

type Options = {
  /** `none` closes every socket, so that the desk polls. */
  sockets?: 'none';
  /** Size of the screen. The default is `WIDE_SCREEN`. */
  viewport?: { width: number; height: number };
};

/** A test in which a person with a role signs in and opens the desk of the newsroom's coverage. */
export const test = base.extend(
  'openDesk',
  ({ visit, newsroom }) =>
    async (role: Role, { sockets, viewport = WIDE_SCREEN }: Options = {}): Promise<Desk> => {
      const visitor = await visit();
      const { page } = visitor;
      await signInWithoutForm(page, newsroom.people[role]);
      await page.clock.install();
      if (sockets === 'none') await page.routeWebSocket(/\/realtime\/v1\//, (socket) => socket.close());
      return {
        ...visitor,
        ...(await goToDesk(page, newsroom, viewport)),
        row: (text) => page.locator('.desk-row', { hasText: text }),
        pauseClock: () => pauseClock(page),
        nextRefetch: () => page.clock.fastForward(REFETCH_MS),
        joined: () =>
          page
            .locator('.here:not(:empty)', { hasNotText: words.presence.unknown })
            .waitFor({ state: 'attached' }),
        outliveToken: () => page.clock.fastForward(TOKEN_LIFETIME_MS),
      };
    },
);

async function pauseClock(page: Page, [lead = 0, ...longer] = CLOCK_LEADS_MS): Promise<void> {
  try {
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + lead);
  } catch (error) {
    if (longer.length === 0) throw error;
    await pauseClock(page, longer);
  }
}

/** Opens or reloads the desk of a coverage, and waits until the composer is enabled. */
export async function goToDesk(
  page: Page,
  { coverage }: Newsroom,
  viewport = WIDE_SCREEN,
): Promise<Pick<Desk, 'composer' | 'box'>> {
  await page.setViewportSize(viewport);
  await page.goto(`/desk/${coverage.slug}`);
  // On a wide screen this button is hidden.
  await page.locator('.open-composer > button:enabled').first().waitFor({ state: 'attached' });
  const composer = page.locator('.composer');
  return { composer, box: composer.getByLabel(composerWords.body) };
}

/** Returns the stored updates of a coverage, ordered by number and time. */
export async function readStoredUpdates(site: TestSite, { coverage }: Newsroom) {
  const { data } = await site.service
    .from('updates')
    .select('*')
    .eq('coverage_id', coverage.id)
    .order('number')
    .order('created_at');
  return data ?? [];
}

/** Returns the first text of a stored update. */
export const textOf = (update: { body: { runs?: { text: string }[] }[] }) => update.body[0]?.runs?.[0]?.text;

/**
 * Lets one call reach the backend, and drops its response. The route is not removed afterwards. If its removal
 * coincided with the start of a navigation, the page's request would get no response (29 of 300 tries in Chromium).
 */
export async function loseResponse(page: Page, action: string): Promise<void> {
  let isLost = false;
  await page.route(`**/rpc/${action}`, async (route: Route) => {
    if (isLost) return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}
