import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { desk as words } from '../../src/lib/i18n/en/desk.ts';
import { deskList } from '../../src/lib/i18n/en/desk-list.ts';
import { expectNoAxeFindings } from '../support/browser.ts';
import { test } from '../support/desk-page.ts';
import { call, paragraph } from '../support/newsroom.ts';

test('an editor sees the channel of a filed update, its message as it was sent, and what has changed since', async ({
  site,
  newsroom,
  openDesk,
}) => {
  const { owner, reporter, editor } = newsroom.people;
  const [sender, code, update_id] = [randomUUID(), randomUUID(), randomUUID()];
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const channel = 'telegram';
  await call(owner.client, 'connect_filing_channel', {
    channel,
    account: '@desk_bot',
    token: 'x'.repeat(60),
    delivery_hash: digest('secret'),
  });
  await call(reporter.client, 'make_filing_code', { channel, code_hash: digest(code), language: 'en' });
  const server = async (name: string, args: object) =>
    expect((await site.service.rpc(name as never, args as never)).error).toBeNull();
  await server('link_filing_sender', { channel, sender, name: '@ana', code });
  const text = 'WATER AT THE QUAY\nIt rises at noon.\n/key <b>typed</b>';
  await server('file_message', {
    channel,
    sender,
    message_id: update_id,
    written_at: new Date().toISOString(),
    content: { headline: 'WATER AT THE QUAY', key_event: false, body: [paragraph('It rises at noon.')] },
    // The newsroom of another test may have a live coverage, too.
    options: { reference: '17', text, slug: newsroom.coverage.slug },
  });

  const { page } = await openDesk('editor');
  const update = page.locator(`#update-${update_id}`);
  await update.getByText(deskList.filed.by('Telegram'), { exact: true }).waitFor();
  await update.getByText(deskList.filed.original).click();
  await expect.poll(() => update.locator('blockquote > p:last-child').innerText()).toBe(text);
  expect(await update.getByText(deskList.filed.changes).count()).toBe(0);

  const content = { headline: 'WATER AT THE QUAY', body: [paragraph('It rises at one.')] };
  const args = { coverage_id: newsroom.coverage.id, update_id, version: 1, content };
  await call(editor.client, 'save_update', args);
  await update.getByText(deskList.filed.changes).waitFor();
  await expect.poll(() => update.locator('.filed-message del').innerText()).toContain('noon');
  await expectNoAxeFindings(page);
  // The message can be read beside the editor, too.
  await update.getByRole('button', { name: words.actions.edit }).click();
  await update.locator('textarea[name="body"]').waitFor();
  await update.getByText(deskList.filed.original).click();
  await expect.poll(() => update.locator('blockquote > p:last-child').innerText()).toBe(text);
});
