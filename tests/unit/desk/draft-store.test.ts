import { expect, onTestFinished, test } from 'vitest';
import { openDraftStore } from '../../../src/islands/editor/draft-store.ts';
import { addCommand } from '../../../src/islands/outbox/commands.ts';
import { readDrafts, saveDraft } from '../../../src/islands/outbox/drafts.ts';
import type { BaseVersion } from '../../../src/islands/outbox/entries.ts';
import { sendCommands } from '../../../src/islands/outbox/send-commands.ts';

const contentOf = (id: string, form: string) => ({ id, form, before: null });
const ignore = () => undefined;
const formsOf = async (me: string) => (await readDrafts(me)).map(({ form }) => form);

test('keeps a draft that is begun after a deletion was requested', async () => {
  const me = crypto.randomUUID();
  const draftStore = openDraftStore(me, 'c', 'new');
  draftStore.save(contentOf('u', 'discarded'), ignore);
  draftStore.save(contentOf('u', 'discarded, too'), ignore);
  const deleted = draftStore.delete();
  draftStore.save(contentOf('v', 'begun since'), ignore);
  await deleted;
  expect((await draftStore.flushed())?.form).toBe('begun since');
  expect(await formsOf(me)).toEqual(['begun since']);
});

test('keeps a draft that is adopted after a deletion was requested', async () => {
  const me = crypto.randomUUID();
  const draftStore = openDraftStore(me, 'c', 'new');
  draftStore.save(contentOf('u', 'discarded'), ignore);
  const returned = await saveDraft(
    { ...contentOf('v', 'returned'), person: me, coverage: 'c', scope: 'new' },
    null,
  );
  draftStore.save(contentOf('u', 'discarded, too'), ignore);
  const deleted = draftStore.delete();
  draftStore.adopt(returned);
  await deleted;
  expect((await draftStore.flushed())?.form).toBe('returned');
  expect(await formsOf(me)).toEqual(['returned']);
});

/** A stored draft whose autosave is queued, and the bases that its page was notified of. */
async function openAutosaved() {
  const me = crypto.randomUUID();
  const draftStore = openDraftStore(me, 'c', 'new');
  const bases: BaseVersion[] = [];
  onTestFinished(draftStore.onBaseChange(({ base }) => bases.push(base)));
  draftStore.save(contentOf('u', 'begun'), ignore);
  const command = {
    id: crypto.randomUUID(),
    person: me,
    coverage: 'c',
    slug: 's',
    subject: 'u',
    kind: 'auto' as const,
    title: '',
    edited: null,
    base: { version: null, command: null },
    calls: [{ action: 'save_update', args: {}, isVersioned: true }],
  };
  await addCommand(command, { draft: await draftStore.flushed() });
  return { me, draftStore, bases, command };
}

test('notifies the page of an autosave, queued and finished', async () => {
  const { me, bases, command } = await openAutosaved();
  await expect.poll(() => bases).toEqual([{ version: null, command: command.id }]);
  await sendCommands(me, async () => ({ version: 1 }));
  await expect.poll(() => bases.at(-1)).toEqual({ version: 1, command: null });
});

test('keeps the base of an emptied draft that the desk has', async () => {
  const { me, draftStore } = await openAutosaved();
  await sendCommands(me, async () => ({ version: 1 }));
  draftStore.empty(contentOf('u', ''), ignore);
  await draftStore.flushed();
  expect((await readDrafts(me)).map(({ form, base }) => [form, base.version])).toEqual([['', 1]]);
});

test('deletes an emptied draft that only this device has', async () => {
  const me = crypto.randomUUID();
  const draftStore = openDraftStore(me, 'c', 'new');
  draftStore.save(contentOf('u', 'begun'), ignore);
  draftStore.empty(contentOf('u', ''), ignore);
  await draftStore.flushed();
  expect(await formsOf(me)).toEqual([]);
});
