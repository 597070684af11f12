import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, vi } from 'vitest';
import { joinDeskChannel } from '../../src/islands/desk/channel.ts';
import { composer as composerWords } from '../../src/lib/i18n/en/composer.ts';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { deskList } from '../../src/lib/i18n/en/desk-list.ts';
import { test as base, type Desk, goToDesk, readStoredUpdates } from '../support/desk-page.ts';
import { eventually } from '../support/eventually.ts';
import { call, type Newsroom, type Person, paragraph } from '../support/newsroom.ts';
import type { TestSite } from '../support/site.ts';

const test = base.extend('ownSite', true);

/** Counts refetches of the list and of single rows since the last call. */
function countReads(page: Page): () => { refetches: number; rows: number } {
  let reads = { refetches: 0, rows: 0 };
  page.on('request', (request) => {
    if (request.url().includes('/rpc/list_desk_updates')) reads.refetches++;
    if (request.url().includes('/desk_updates')) reads.rows++;
  });
  return () => {
    const past = reads;
    reads = { refetches: 0, rows: 0 };
    return past;
  };
}

const presenceOn = (page: Page) => page.locator('.here').innerText();

/** Removes an editor's role. Returns a function that restores it, which also runs after the test. */
async function demote({ service }: TestSite, { people }: Newsroom): Promise<() => Promise<void>> {
  const become = async (role: string) => {
    await call(service, 'set_role', { person_id: people.editor.id, role });
  };
  const restore = () => become('editor');
  onTestFinished(restore);
  await become('reader');
  return restore;
}

/** Ends a contributor's membership. Returns a function that renews it. */
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

test('closes the channel once for a person who loses access, and refuses one without access', async ({
  site,
  newsroom,
}) => {
  const { editor, reader } = newsroom.people;
  const callbacks = () => ({
    joined: vi.fn(),
    lost: vi.fn(),
    closed: vi.fn(),
    update: vi.fn(),
    photo: vi.fn(),
    coverage: vi.fn(),
    present: vi.fn(),
  });
  const [editorCallbacks, readerCallbacks] = [callbacks(), callbacks()];
  joinDeskChannel(editor.client, newsroom.coverage.id, editor.id, editorCallbacks);
  joinDeskChannel(reader.client, newsroom.coverage.id, reader.id, readerCallbacks);
  await eventually(() => expect(editorCallbacks.joined).toHaveBeenCalled());
  await vi.waitFor(() => expect(readerCallbacks.closed).toHaveBeenCalled(), { timeout: 10_000 });

  await demote(site, newsroom);
  await editor.client.auth.refreshSession();
  await vi.waitFor(() => expect(editorCallbacks.closed).toHaveBeenCalled(), { timeout: 10_000 });
  for (const { lost, closed } of [editorCallbacks, readerCallbacks]) {
    expect(closed).toHaveBeenCalledTimes(1);
    expect(lost).not.toHaveBeenCalled();
  }
  expect(readerCallbacks.joined).not.toHaveBeenCalled();
  expect([editor, reader].map(({ client }) => client.getChannels())).toEqual([[], []]);
});

test('shows a submitted update on another desk at once, by fetching only its row', async ({ openDesk }) => {
  const editor = await openDesk('editor');
  await editor.joined();
  const contributor = await openDesk('contributor');
  // With a stopped clock, the desk does not poll.
  await editor.pauseClock();
  const reads = countReads(editor.page);
  await contributor.box.fill('From the pier');
  await contributor.box.press('Control+Enter');
  await editor.row('From the pier').getByText(words.updateStates.submitted).waitFor();
  expect(reads().refetches).toBe(0);

  await contributor.joined();
  await contributor.pauseClock();
  await editor.row('From the pier').getByRole('button', { name: words.actions.publish }).click();
  await contributor.row('From the pier').getByText(words.updateStates.published).waitFor();
});

test('names other people at the desk once, and what they edit, until they leave', async ({
  newsroom,
  openDesk,
}) => {
  await newsroom.publish({ headline: 'Gates' });
  const [editorName, reporterName] = ['Ann Devlin', 'Bo Lindqvist'];
  await rename(newsroom.people.editor, editorName);
  await rename(newsroom.people.reporter, reporterName);
  const editor = await openDesk('editor');
  await expect.poll(() => presenceOn(editor.page)).toBe(words.presence.alone);
  const reporter = await openDesk('reporter');
  const both = await reporter.page.context().newPage();
  await goToDesk(both, newsroom);
  await expect.poll(() => presenceOn(editor.page)).toBe(words.presence.here(reporterName));
  await expect.poll(() => presenceOn(reporter.page)).toBe(words.presence.here(editorName));
  await editor.page.getByText(words.presence.arrived([reporterName])).waitFor({ state: 'attached' });

  await both.close();
  await reporter.row('Gates').getByRole('button', { name: words.actions.edit }).click();
  await editor
    .row('Gates')
    .getByText(words.presence.editing([reporterName]))
    .waitFor();
  await expect
    .poll(() => presenceOn(editor.page))
    .toBe(words.presence.here(words.presence.writing(reporterName)));
  expect(await reporter.page.getByText(words.presence.editing([reporterName])).count()).toBe(0);
  await reporter.row('Gates').getByRole('button', { name: words.close }).click();
  await editor.row('Gates').locator('.edited-by').waitFor({ state: 'detached' });

  await reporter.box.fill('A new one');
  await expect
    .poll(() => presenceOn(editor.page))
    .toBe(words.presence.here(words.presence.writing(reporterName)));
  await reporter.page.goto('/desk');
  await expect.poll(() => presenceOn(editor.page)).toBe(words.presence.alone);
});

test('polls every few seconds without a socket', async ({ newsroom, openDesk }) => {
  const { page, row } = await openDesk('editor', { sockets: 'none' });
  await page.getByText(words.presence.unknown).waitFor();
  await newsroom.publish({ headline: 'By a colleague' });
  await page.clock.fastForward(5_000);
  await row('By a colleague').waitFor();
});

test('rejoins after the backend was gone, and shows what changed meanwhile', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { page, joined, row, expectError } = await openDesk('editor');
  expectError(/50[0234]|WebSocket/);
  await joined();
  const { pid } = JSON.parse(await readFile(join(site.data, 'backend.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
  await page.getByText(words.presence.unknown).waitFor();
  // The backend restarts within seconds, later on a busy machine.
  const published = () => newsroom.publish({ headline: 'Meanwhile' }).catch(() => null);
  await expect.poll(published, { timeout: 40_000 }).not.toBe(null);
  await row('Meanwhile').first().waitFor();
  await expect.poll(() => presenceOn(page)).toBe(words.presence.alone);
  await page.getByText('No connection since').waitFor({ state: 'detached' });
});

test.for([
  ['a former editor', 'editor', demote],
  ['a contributor with an expired membership', 'contributor', expire],
] as const)(
  'shows nothing new to %s, and keeps the typed text',
  async ([, role, revoke], { site, newsroom, openDesk }) => {
    await newsroom.publish({ headline: 'Seen before' });
    const { page, box, joined, row, nextRefetch, expectError } = await openDesk(role);
    // The draft is saved a second after the last key, perhaps after the loss of access.
    expectError(/403/);
    await joined();
    await box.fill('Typed before');
    const restore = await revoke(site, newsroom);
    await newsroom.publish({ headline: 'Not for them' });
    await page.getByText(words.connection.notYours).waitFor();
    expect(await presenceOn(page)).toBe('');
    await nextRefetch();
    await nextRefetch();
    expect(await row('Not for them').count()).toBe(0);
    expect(await row('Seen before').count()).toBe(1);
    expect(await box.inputValue()).toBe('Typed before');

    await restore();
    await nextRefetch();
    await row('Not for them').waitFor();
  },
);

/** Creates a draft or a published update of the reporter. */
async function createUpdate(
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

/** An update that is open for editing in a desk's list. */
function openedUpdate({ page }: Desk, headline: string) {
  const row = page.locator(`.desk-row[aria-label*="${headline}"]`);
  const press = (name: string) => row.getByRole('button', { name }).click();
  return { row, box: row.getByLabel(composerWords.body), press };
}

test('loses no text when two people change the same draft or published update, in either order', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const cases = (['draft', 'published'] as const).flatMap((state) => [
    { state, first: 'reporter', second: 'editor', headline: `The harbour, a ${state}` } as const,
    { state, first: 'editor', second: 'reporter', headline: `The pier, a ${state}` } as const,
  ]);
  const ids: string[] = [];
  for (const { state, headline } of cases) ids.push(await createUpdate(newsroom, state, headline));
  const desks = { editor: await openDesk('editor'), reporter: await openDesk('reporter') };
  for (const desk of Object.values(desks)) desk.expectError(/409/);
  for (const [index, { state, first, second, headline }] of cases.entries()) {
    const save = state === 'draft' ? words.saving.save : words.saving.change;
    const now = async () =>
      JSON.stringify((await readStoredUpdates(site, newsroom)).find(({ id }) => id === ids[index])?.body);
    const faster = openedUpdate(desks[first], headline);
    const slower = openedUpdate(desks[second], headline);
    for (const { press } of [faster, slower]) await press(words.actions.edit);
    await slower.box.fill(`Words of the ${second}.`);
    // A draft is also saved automatically, before or after the other person's command.
    await faster.box.fill(`Words of the ${first}.`);
    await faster.press(save);
    await expect.poll(now).toContain(`Words of the ${first}.`);
    await slower.press(save);

    const { page } = desks[second];
    const conflict = slower.row.locator('.conflict');
    await conflict.locator('del', { hasText: first }).waitFor();
    await page.reload();
    await slower.press(words.actions.edit);
    await conflict.locator('del', { hasText: first }).waitFor();
    await conflict.locator('ins', { hasText: second }).waitFor();
    await conflict.getByRole('button', { name: words.conflict.both }).click();
    await slower.press(save);
    await slower.row.locator('.panel').waitFor({ state: 'detached' });
    await expect.poll(now).toContain(`Words of the ${second}.`);
    expect(await now()).toContain(`Words of the ${first}.`);
  }
});

test.for(['draft', 'submitted', 'scheduled'] as const)(
  'says in the open panel of a %s update that its author saved a newer version',
  async (state, { newsroom, openDesk }) => {
    const { people, coverage } = newsroom;
    const headline = `The pier, ${state}`;
    const update_id = await createUpdate(newsroom, 'draft', headline);
    if (state === 'submitted') await call(people.reporter.client, 'submit_update', { update_id, version: 1 });
    const content = (text: string) => ({ headline, body: [paragraph(text)] });
    const args = { coverage_id: coverage.id, update_id };
    if (state === 'scheduled') {
      const scheduled_for = new Date(Date.now() + 86_400_000).toISOString();
      await call(people.reporter.client, 'schedule_update', {
        ...args,
        version: 1,
        content: content('As it was.'),
        scheduled_for,
      });
    }
    const desk = await openDesk('editor');
    await desk.joined();
    const { row, box, press } = openedUpdate(desk, headline);
    await press(words.actions.edit);
    await box.fill('Words of the editor.');
    const { data } = await people.editor.client
      .from('desk_updates')
      .select('version')
      .eq('id', update_id)
      .single()
      .throwOnError();
    await call(people.reporter.client, 'save_update', {
      ...args,
      version: data.version,
      content: content('Words of the reporter.'),
    });
    await row.getByRole('button', { name: deskList.compare }).click();
    await row.locator('.conflict del', { hasText: 'reporter' }).waitFor();
    expect(await box.inputValue()).toBe('Words of the editor.');
  },
);
