import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, vi } from 'vitest';
import { joinDeskChannel } from '../../src/islands/desk/channel.ts';
import { composer as composerWords } from '../../src/lib/i18n/composer.ts';
import { desk as words } from '../../src/lib/i18n/desk.ts';
import { outbox } from '../../src/lib/i18n/outbox.ts';
import { test as base, type Desk, goToDesk, readStoredUpdates } from '../support/desk-page.ts';
import { call, type Newsroom, type Person, paragraph } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';

const test = base.extend('ownSite', true);

/** The reads of a page's desk since the last time this was asked: whole looks, and single rows. */
function countReads(page: Page): () => { looks: number; rows: number } {
  let reads = { looks: 0, rows: 0 };
  page.on('request', (request) => {
    if (request.url().includes('/rpc/list_desk_updates')) reads.looks++;
    if (request.url().includes('/desk_updates')) reads.rows++;
  });
  return () => {
    const past = reads;
    reads = { looks: 0, rows: 0 };
    return past;
  };
}

const here = (page: Page) => page.locator('.here').innerText();

/** Takes an editor's role away. Answers what gives it back, which the end of the test does too. */
async function demote({ service }: TestSite, { people }: Newsroom): Promise<() => Promise<void>> {
  const become = async (role: string) => {
    await call(service, 'set_role', { person_id: people.editor.id, role });
  };
  const restore = () => become('editor');
  onTestFinished(restore);
  await become('reader');
  return restore;
}

/** Ends a contributor's place in the coverage. Answers what gives it back. */
async function expire(_site: TestSite, { coverage, people }: Newsroom): Promise<() => Promise<void>> {
  const end = async (expires_at?: string) => {
    const place = { coverage_id: coverage.id, person_id: people.contributor.id, expires_at };
    await call(people.editor.client, 'set_coverage_member', place);
  };
  await end('2026-01-01T00:00:00Z');
  return () => end();
}

async function rename({ client }: Person, display_name: string): Promise<void> {
  await call(client, 'save_me', { content: { display_name } });
}

test('whoever loses the right to a desk is told once that the line is closed; who never had it is refused', async ({
  site,
  newsroom,
}) => {
  const { editor, reader } = newsroom.people;
  const ears = () => ({
    joined: vi.fn(),
    lost: vi.fn(),
    closed: vi.fn(),
    update: vi.fn(),
    photo: vi.fn(),
    coverage: vi.fn(),
    present: vi.fn(),
  });
  const [theirs, strangers] = [ears(), ears()];
  joinDeskChannel(editor.client, newsroom.coverage.id, editor.id, theirs);
  joinDeskChannel(reader.client, newsroom.coverage.id, reader.id, strangers);
  await vi.waitFor(() => expect(theirs.joined).toHaveBeenCalled());
  await vi.waitFor(() => expect(strangers.closed).toHaveBeenCalled(), { timeout: 10_000 });

  await demote(site, newsroom);
  await editor.client.auth.refreshSession();
  await vi.waitFor(() => expect(theirs.closed).toHaveBeenCalled(), { timeout: 10_000 });
  for (const { lost, closed } of [theirs, strangers]) {
    expect(closed).toHaveBeenCalledTimes(1);
    expect(lost).not.toHaveBeenCalled();
  }
  expect(strangers.joined).not.toHaveBeenCalled();
  expect([editor, reader].map(({ client }) => client.getChannels())).toEqual([[], []]);
});

test('what one person hands in is at once on the desk of the other, fetched alone', async ({ openDesk }) => {
  const editor = await openDesk('editor');
  await editor.joined();
  const contributor = await openDesk('contributor');
  // Whoever waits for the next look would wait for ever.
  await editor.pauseClock();
  const reads = countReads(editor.page);
  await contributor.box.fill('From the pier');
  await contributor.box.press('Control+Enter');
  await editor.row('From the pier').getByText(words.updateStates.submitted).waitFor();
  expect(reads().looks).toBe(0);

  await contributor.joined();
  await contributor.pauseClock();
  await editor.row('From the pier').getByRole('button', { name: words.actions.publish }).click();
  await contributor.row('From the pier').getByText(words.updateStates.published).waitFor();
});

test('who else is here is named once, and so is what they edit, until they stop and go', async ({
  newsroom,
  openDesk,
}) => {
  await newsroom.publish({ headline: 'Gates' });
  const [editorName, reporterName] = ['Ann Devlin', 'Bo Lindqvist'];
  await rename(newsroom.people.editor, editorName);
  await rename(newsroom.people.reporter, reporterName);
  const editor = await openDesk('editor');
  await expect.poll(() => here(editor.page)).toBe(words.presence.alone);
  const reporter = await openDesk('reporter');
  const both = await reporter.page.context().newPage();
  await goToDesk(both, newsroom);
  await expect.poll(() => here(editor.page)).toBe(words.presence.here(reporterName));
  await expect.poll(() => here(reporter.page)).toBe(words.presence.here(editorName));
  await editor.page.getByText(words.presence.arrived([reporterName])).waitFor({ state: 'attached' });

  await both.close();
  await reporter.row('Gates').getByRole('button', { name: words.actions.edit }).click();
  await editor
    .row('Gates')
    .getByText(words.presence.editing([reporterName]))
    .waitFor();
  await expect.poll(() => here(editor.page)).toBe(words.presence.here(words.presence.writing(reporterName)));
  expect(await reporter.page.getByText(words.presence.editing([reporterName])).count()).toBe(0);
  await reporter.row('Gates').getByRole('button', { name: words.close }).click();
  await editor.row('Gates').locator('.edited-by').waitFor({ state: 'detached' });

  await reporter.box.fill('A new one');
  await expect.poll(() => here(editor.page)).toBe(words.presence.here(words.presence.writing(reporterName)));
  await reporter.page.goto('/desk');
  await expect.poll(() => here(editor.page)).toBe(words.presence.alone);
});

test('a desk that no line is opened for looks every few seconds', async ({ newsroom, openDesk }) => {
  const { page, row } = await openDesk('editor', { sockets: 'none' });
  await page.getByText(words.presence.unknown).waitFor();
  await newsroom.publish({ headline: 'By a colleague' });
  await page.clock.fastForward(5_000);
  await row('By a colleague').waitFor();
});

test('a backend that was gone is joined again, and what happened meanwhile is seen', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, joined, row, expectError: expectComplaint } = await openDesk('editor');
  expectComplaint(/50[0234]|WebSocket/);
  await joined();
  const { pid } = JSON.parse(await readFile(join(site.data, 'backend.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
  await page.getByText(words.presence.unknown).waitFor();
  // A backend starts in seconds, and on a busy machine in many of them.
  const published = () => newsroom.publish({ headline: 'Meanwhile' }).catch(() => null);
  await expect.poll(published, { timeout: 40_000 }).not.toBe(null);
  await row('Meanwhile').first().waitFor();
  await expect.poll(() => here(page)).toBe(words.presence.alone);
  await page.getByText('Not reached since').waitFor({ state: 'detached' });
});

test.for([
  ['an editor who is one no longer', 'editor', demote],
  ['a contributor whose time is over', 'contributor', expire],
] as const)(
  '%s sees nothing newer, and keeps what was typed',
  async ([, role, lose], { site, newsroom, openDesk }) => {
    await newsroom.publish({ headline: 'Seen before' });
    const {
      page,
      box,
      joined,
      row,
      nextRefetch: nextLook,
      expectError: expectComplaint,
    } = await openDesk(role);
    // The desk is told of what was typed a second later: perhaps too late.
    expectComplaint(/403/);
    await joined();
    await box.fill('Typed before');
    const restore = await lose(site, newsroom);
    await newsroom.publish({ headline: 'Not for them' });
    await page.getByText(words.connection.notYours).waitFor();
    expect(await here(page)).toBe('');
    await nextLook();
    await nextLook();
    expect(await row('Not for them').count()).toBe(0);
    expect(await row('Seen before').count()).toBe(1);
    expect(await box.inputValue()).toBe('Typed before');

    await restore();
    await nextLook();
    await row('Not for them').waitFor();
  },
);

/** A draft of the reporter's, or something that they have published. */
async function written(
  { people, coverage, publish }: Newsroom,
  state: 'draft' | 'published',
  headline: string,
) {
  const content = { headline, body: [paragraph('As it was.')] };
  if (state === 'published') return (await publish(content)).id;
  const update_id = randomUUID();
  await call(people.reporter.client, 'save_update', { coverage_id: coverage.id, update_id, content });
  return update_id;
}

/** An update that is open in somebody's list. */
function opened({ page }: Desk, headline: string) {
  const row = page.locator(`.desk-row[aria-label*="${headline}"]`);
  const press = (name: string) => row.getByRole('button', { name }).click();
  return { row, box: row.getByLabel(composerWords.body), press };
}

test('two who change the same draft and the same published update lose no word, whoever is first', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const turns = (['draft', 'published'] as const).flatMap((state) => [
    { state, first: 'reporter', second: 'editor', headline: `The harbour, a ${state}` } as const,
    { state, first: 'editor', second: 'reporter', headline: `The pier, a ${state}` } as const,
  ]);
  const ids: string[] = [];
  for (const { state, headline } of turns) ids.push(await written(newsroom, state, headline));
  const desks = { editor: await openDesk('editor'), reporter: await openDesk('reporter') };
  for (const desk of Object.values(desks)) desk.expectError(/409/);
  for (const [turn, { state, first, second, headline }] of turns.entries()) {
    const save = state === 'draft' ? words.saving.save : words.saving.change;
    const now = async () =>
      JSON.stringify((await readStoredUpdates(site, newsroom)).find(({ id }) => id === ids[turn])?.body);
    const faster = opened(desks[first], headline);
    const slower = opened(desks[second], headline);
    for (const { press } of [faster, slower]) await press(words.actions.edit);
    await slower.box.fill(`Words of the ${second}.`);
    // A draft of one's own goes to the desk by itself: here before the other's press, or after it.
    await faster.box.fill(`Words of the ${first}.`);
    await faster.press(save);
    await expect.poll(now).toContain(`Words of the ${first}.`);
    await slower.press(save);

    const { page } = desks[second];
    const refused = page.locator('.outgoing-row.needs_you');
    const conflict = refused.locator('.conflict');
    await refused.getByRole('button', { name: outbox.open }).click();
    await conflict.locator('del', { hasText: first }).waitFor();
    await page.reload();
    await refused.getByRole('button', { name: outbox.open }).click();
    await conflict.locator('del', { hasText: first }).waitFor();
    await conflict.locator('ins', { hasText: second }).waitFor();
    await conflict.getByRole('button', { name: words.conflict.both }).click();
    await refused.getByRole('button', { name: save }).click();
    await refused.waitFor({ state: 'detached' });
    await expect.poll(now).toContain(`Words of the ${second}.`);
    expect(await now()).toContain(`Words of the ${first}.`);
  }
});
