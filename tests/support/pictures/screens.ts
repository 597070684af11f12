import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { FLOOD } from '../../../src/lib/cli/demo/flood.ts';
import { ERRORS } from './errors.ts';
import { inTurn, nextUpdate, press, type Screen, type ScreenGroup, settle, writeUpdate } from './screen.ts';
import { WRITING } from './writing.ts';

const DESK = `/desk/${FLOOD.slug}`;
const LIVE = `/live/${FLOOD.slug}`;
const APOLLO = '/live/apollo-11-landing';
const nextWarning = inTurn(
  'Leave Quay Street and Mill Lane now. Go to the school on Church Hill.',
  'Stay off Ferry Bridge. A tree is caught on the middle pier.',
  'Do not drink the tap water in Mill Lane. The council brings bottles.',
  'Turn off the electricity before you leave a cellar.',
);

async function publish(page: Page): Promise<void> {
  await writeUpdate(page);
  await page.locator('.composer button[value="publish"]').click();
  await page.locator('.save-result .view').waitFor();
}

async function publishUrgent(page: Page): Promise<void> {
  await writeUpdate(page);
  await page.locator('.composer textarea[name="body"]').fill(nextWarning());
  await page.locator('.composer input[name="urgent"]').check();
  await page.locator('.composer button[value="publish"]').click();
  await page.locator('.save-result .view').waitFor();
}

/** Returns a function that opens the panel of an action on the first published update that offers the action. */
const openPanel = (action: string) => async (page: Page) => {
  await page.locator(`.desk-row.published [data-action="${action}"]`).first().click();
  await page.locator('.desk-row.open').waitFor({ state: 'attached' });
};

async function openHistory(page: Page): Promise<void> {
  await page.locator('.row-actions > button:not([data-action])').first().click();
}

/**
 * Returns a function that opens the state menu.
 * @param confirm position of a change of state in the menu, whose confirmation it opens too
 */
const openStateMenu = (confirm?: number) => async (page: Page) => {
  await page.locator('.state-button').click();
  if (confirm !== undefined) await page.locator('.state-menu button').nth(confirm).click();
};

let conflicts = 0;

/** Saves a newer version through another page while an editor of the same update is open, then saves. */
async function conflict(page: Page): Promise<void> {
  // Each call uses another update, because the device stores the conflict with its text.
  const row = page.locator('.desk-row.published').nth(2 + conflicts++);
  const id = await row.getAttribute('id');
  const text = nextUpdate();
  await row.locator('[data-action="edit"]').click();
  await page.locator(`#${id} textarea[name="body"]`).fill(`${text} The road stays closed.`);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await settle(other);
  await other.locator(`#${id} [data-action="edit"]`).click();
  await other.locator(`#${id} textarea[name="body"]`).fill(`${text} Use Church Hill until 13:00.`);
  await other.locator(`#${id} button[value="change"]`).click();
  await other.locator(`#${id} textarea[name="body"]`).waitFor({ state: 'detached' });
  await other.close();
  await page.locator(`#${id} button[value="change"]`).click();
  await page.locator('.conflict').waitFor();
}

async function fillTip(page: Page): Promise<void> {
  await page.locator('textarea[name="body"]').fill('The bus shelter on Quay Street has lost its roof.');
  await page.locator('input[name="photo"]').setInputFiles('public/icon-180.png');
}

async function sendTip(page: Page): Promise<void> {
  await fillTip(page);
  await page.locator('.tip button[type="submit"]').click();
  // The form disappears when the text has arrived, and the progress when the photo has.
  for (const part of ['textarea', 'progress']) {
    await page.locator(`.tip ${part}`).first().waitFor({ state: 'detached' });
  }
}

async function openReceipt(page: Page): Promise<void> {
  await sendTip(page);
  await page.locator('.tip a[href^="/tips/"]').first().click();
  await page.waitForURL(/\/tips\/./);
}

async function refuseSignIn(page: Page): Promise<void> {
  await page.fill('[name=email]', 'nobody@demo.example');
  await page.fill('[name=password]', 'wrong-password');
  await page.press('[name=password]', 'Enter');
  await page.locator('.refused').waitFor();
}

/** Title of the group whose pictures are made after all others, because its urgent update appears on other screens too. */
export const LAST_GROUP = 'Urgent';

/** All screens, in the order of the contact sheet. */
export const GROUPS: ScreenGroup[] = [
  {
    title: 'Reading',
    screens: [
      { name: 'front page', path: '/' },
      { name: 'live page', path: LIVE },
      { name: 'live page, parts open', path: LIVE, only: 'phone', prepare: openParts },
      { name: 'live page, tip form', path: LIVE, prepare: openTipForm },
      { name: 'oldest first', path: `${LIVE}?order=oldest` },
      { name: 'key events', path: `${APOLLO}?show=key` },
      { name: 'older updates', path: `${APOLLO}?before=21` },
      { name: 'ended', path: APOLLO },
      { name: 'paused', path: '/live/library-vote' },
      { name: 'scheduled', path: '/live/wenn-half-marathon' },
      { name: 'one update', path: `${LIVE}/9` },
      { name: 'corrected update', path: `${APOLLO}/21` },
      { name: 'withdrawn update', path: `${APOLLO}/24` },
      { name: 'timeline', path: `${APOLLO}/timeline` },
      { name: 'embed', path: `${LIVE}/embed` },
      { name: 'brief', path: `${LIVE}/brief` },
      { name: 'topic', path: '/topics/weather' },
      { name: 'person', path: '/people/priya-landry' },
      { name: 'archive', path: '/archive' },
      { name: 'archive, a month', path: '/archive/1969/07' },
      { name: 'corrections', path: '/corrections' },
      { name: 'search', path: '/search' },
      { name: 'search results', path: '/search?q=bridge' },
      { name: 'search filters', path: '/search?q=bridge', prepare: press('main details > summary') },
      { name: 'search without results', path: '/search?q=submarine' },
      { name: 'about', path: '/about' },
      { name: 'privacy', path: '/privacy' },
      { name: 'missing page', path: '/live/there-is-none' },
      { name: 'saved pages', path: '/offline' },
    ],
  },
  {
    title: 'Tips and alerts',
    screens: [
      { name: 'tips', path: '/tips' },
      { name: 'tip about a coverage, with a photo', path: `/tips?coverage=${FLOOD.slug}`, prepare: fillTip },
      { name: 'tip sent', path: '/tips', prepare: sendTip },
      { name: 'receipt', path: '/tips', prepare: openReceipt },
      { name: 'choice of alerts', path: '/follow' },
      { name: 'alerts', path: `/follow${LIVE}` },
      { name: 'alerts of a reader', path: `/follow${LIVE}`, as: 'reader' },
      { name: 'alerts of a topic', path: '/follow/topics/weather' },
      { name: 'unknown receipt', path: `/tips/${'a1b2'.repeat(10)}` },
      { name: 'unknown link to confirm alerts', path: `/follow/confirm/${'a'.repeat(43)}` },
      { name: 'unknown unsubscribe link', path: `/unsubscribe/${'a1b2'.repeat(10)}` },
    ],
  },
  {
    title: 'Accounts',
    screens: [
      { name: 'sign in', path: '/sign-in' },
      { name: 'sign in, refused', path: '/sign-in', prepare: refuseSignIn },
      { name: 'sign up', path: '/sign-up' },
      { name: 'sign in by mail', path: '/auth/code?for=sign-in' },
      { name: 'forgotten password', path: '/reset-password' },
      { name: 'link of a mail', path: `/auth/confirm?type=invite&token_hash=${'a1b2'.repeat(14)}` },
      { name: 'broken link of a mail', path: '/auth/confirm' },
      { name: 'account of a reader', path: '/account', as: 'reader' },
      { name: 'account of a reporter', path: '/account', as: 'reporter' },
      { name: 'deleting an account', path: '/account/delete', as: 'reporter' },
      { name: 'signed out everywhere', path: '/account/signed-out' },
      { name: 'deleted account', path: '/account/deleted' },
      { name: 'unknown invitation', path: `/invites/${'x'.repeat(43)}` },
    ],
  },
  {
    title: 'Desk of a coverage',
    screens: [
      { name: 'editor', path: DESK, as: 'editor' },
      { name: 'owner', path: DESK, as: 'owner' },
      { name: 'reporter', path: DESK, as: 'reporter' },
      { name: 'contributor', path: DESK, as: 'contributor' },
      { name: 'moderator', path: DESK, as: 'moderator' },
      { name: 'writing', path: DESK, as: 'reporter', prepare: writeUpdate },
      { name: 'more fields', path: DESK, as: 'editor', prepare: openMoreFields },
      { name: 'published', path: DESK, as: 'reporter', prepare: publish },
      { name: 'editing', path: DESK, as: 'editor', prepare: openPanel('edit') },
      { name: 'two versions', path: DESK, as: 'editor', prepare: conflict },
      { name: 'withdrawing', path: DESK, as: 'editor', prepare: openPanel('withdraw') },
      { name: 'history', path: DESK, as: 'editor', prepare: openHistory },
      { name: 'state menu', path: DESK, as: 'editor', prepare: openStateMenu() },
      { name: 'ending', path: DESK, as: 'editor', prepare: openStateMenu(1) },
      { name: 'ending from the overview', path: `${DESK}/end`, as: 'editor' },
      { name: 'withdrawing the coverage', path: DESK, as: 'editor', prepare: openStateMenu(2) },
      { name: 'keys', path: DESK, as: 'editor', only: 'wide', prepare: press('.keys-button') },
      { name: 'scheduled coverage', path: '/desk/wenn-half-marathon', as: 'editor' },
      { name: 'ended coverage', path: '/desk/apollo-11-landing', as: 'editor' },
      { name: 'settings', path: `${DESK}/settings`, as: 'editor' },
      { name: 'not open to a reader', path: DESK, as: 'reader' },
    ],
  },
  WRITING,
  {
    title: 'Desk',
    screens: [
      { name: 'coverages, for an editor', path: '/desk', as: 'editor' },
      { name: 'coverages, for a contributor', path: '/desk', as: 'contributor' },
      { name: 'new coverage', path: '/desk/new', as: 'editor' },
      { name: 'front page order', path: '/desk/site/front-page', as: 'editor' },
      { name: 'tips', path: '/desk/tips', as: 'moderator' },
      { name: 'using a tip', path: '/desk/tips?view=mine', as: 'moderator', prepare: useTip },
      { name: 'held tips', path: '/desk/tips?view=held', as: 'moderator' },
      { name: 'no spam', path: '/desk/tips?view=spam', as: 'moderator' },
      { name: 'photos', path: '/desk/photos', as: 'editor' },
      { name: 'one photo', path: '/desk/photos', as: 'editor', prepare: press('a.tile') },
      { name: 'offline', path: '/offline/desk' },
    ],
  },
  {
    title: 'Owner',
    screens: [
      { name: 'people', path: '/desk/people', as: 'owner' },
      { name: 'invitation', path: '/desk/people/invite', as: 'owner' },
      { name: 'invitations', path: '/desk/people/invites', as: 'owner' },
      { name: 'person', path: '/desk/people', as: 'owner', prepare: press('.people li h2 a') },
      { name: 'people, editing', path: '/desk/people', as: 'owner', prepare: press('.people summary') },
      { name: 'activity log', path: '/desk/people/log', as: 'owner' },
      ...[
        'identity',
        'masthead',
        'place',
        'look',
        'about',
        'embeds',
        'mail',
        'wordpress',
        'filing',
        'data',
        'advanced',
      ].map((section): Screen => ({ name: `site, ${section}`, path: `/desk/site/${section}`, as: 'owner' })),
      { name: 'export', path: '/desk/site/export', as: 'owner' },
    ],
  },
  ERRORS,
  {
    title: 'First run',
    screens: [
      { name: 'setup', path: '/setup', newsroom: 'unset' },
      { name: 'checklist', path: '/desk', as: 'owner', newsroom: 'new' },
      { name: 'empty front page', path: '/', newsroom: 'new' },
      { name: 'no corrections', path: '/corrections', newsroom: 'new' },
      { name: 'empty archive', path: '/archive', newsroom: 'new' },
      { name: 'no tips', path: '/desk/tips', as: 'owner', newsroom: 'new' },
      { name: 'no photos', path: '/desk/photos', as: 'owner', newsroom: 'new' },
      { name: 'no invitations', path: '/desk/people/invites', as: 'owner', newsroom: 'new' },
      { name: 'first draft', path: '/desk/new', as: 'owner', newsroom: 'new', prepare: createCoverage },
    ],
  },
  {
    title: LAST_GROUP,
    screens: [
      { name: 'desk after an urgent update', path: DESK, as: 'editor', prepare: publishUrgent },
      { name: 'live page with an urgent update', path: LIVE },
      { name: 'front page with an urgent update', path: '/' },
      { name: 'embed with an urgent update', path: `${LIVE}/embed` },
    ],
  },
];

async function openParts(page: Page): Promise<void> {
  for (const part of await page.locator('.part-title').all()) await part.click();
}

async function openTipForm(page: Page): Promise<void> {
  await page.locator('.tip-us > summary').click();
  await page.locator('.tip-us textarea').waitFor();
}

async function openMoreFields(page: Page): Promise<void> {
  await writeUpdate(page);
  await page.locator('.composer details.more-fields > summary').click();
}

async function createCoverage(page: Page): Promise<void> {
  await page.fill('[name=headline]', 'Storm over the valley');
  await page.fill('[name=slug]', `storm-${randomUUID().slice(0, 6)}`);
  await page.press('[name=headline]', 'Enter');
  await page.locator('.composer').waitFor({ state: 'attached' });
}

async function useTip(page: Page): Promise<void> {
  await page.locator('[data-action="use"]').first().click();
}
