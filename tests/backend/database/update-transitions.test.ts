import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { contentOf, createCoverage, readCoverageRows, tryCall } from '../../support/actors.ts';
import { anonClient } from '../../support/backend.ts';
import { call, paragraph } from '../../support/newsroom.ts';
import { context, useContext } from './transition-context.ts';

useContext();

const UPDATE_STATES = ['draft', 'submitted', 'scheduled', 'published', 'withdrawn', 'spiked'] as const;

type UpdateState = (typeof UPDATE_STATES)[number];

const IN_A_DAY = new Date(Date.now() + 24 * 3600_000).toISOString();

type Scene = { coverage_id: string; update_id: string; version: number };

/** Commands of an editor, with the resulting state or error for each state of an update. */
const ACTS: {
  act: string;
  args: (scene: Scene) => Record<string, unknown>;
  outcomes: Record<UpdateState, UpdateState | 'bad_state' | 'gone'>;
}[] = [
  {
    act: 'save_update',
    args: (scene) => ({ ...scene, content: contentOf('Saved.') }),
    outcomes: {
      draft: 'draft',
      submitted: 'submitted',
      scheduled: 'scheduled',
      published: 'bad_state',
      withdrawn: 'bad_state',
      spiked: 'bad_state',
    },
  },
  {
    act: 'submit_update',
    args: ({ update_id, version }) => ({ update_id, version }),
    outcomes: {
      draft: 'submitted',
      submitted: 'bad_state',
      scheduled: 'bad_state',
      published: 'bad_state',
      withdrawn: 'bad_state',
      spiked: 'bad_state',
    },
  },
  {
    act: 'publish_update',
    args: (scene) => ({ ...scene, content: contentOf('Published again.') }),
    outcomes: {
      draft: 'published',
      submitted: 'published',
      scheduled: 'published',
      published: 'bad_state',
      withdrawn: 'bad_state',
      spiked: 'bad_state',
    },
  },
  {
    act: 'schedule_update',
    args: (scene) => ({ ...scene, content: contentOf('Later.'), scheduled_for: IN_A_DAY }),
    outcomes: {
      draft: 'scheduled',
      submitted: 'scheduled',
      scheduled: 'scheduled',
      published: 'bad_state',
      withdrawn: 'bad_state',
      spiked: 'bad_state',
    },
  },
  {
    act: 'unschedule_update',
    args: ({ update_id, version }) => ({ update_id, version }),
    outcomes: {
      draft: 'bad_state',
      submitted: 'bad_state',
      scheduled: 'draft',
      published: 'bad_state',
      withdrawn: 'bad_state',
      spiked: 'bad_state',
    },
  },
  {
    act: 'spike_update',
    args: ({ update_id, version }) => ({ update_id, version }),
    outcomes: {
      draft: 'spiked',
      submitted: 'spiked',
      scheduled: 'spiked',
      published: 'bad_state',
      withdrawn: 'bad_state',
      spiked: 'bad_state',
    },
  },
  {
    act: 'revise_update',
    args: ({ update_id, version }) => ({ update_id, version, content: contentOf('Revised.') }),
    outcomes: {
      draft: 'bad_state',
      submitted: 'bad_state',
      scheduled: 'bad_state',
      published: 'published',
      withdrawn: 'gone',
      spiked: 'bad_state',
    },
  },
  {
    act: 'correct_update',
    args: ({ update_id, version }) => ({
      update_id,
      version,
      content: contentOf('Corrected.'),
      note: 'A name.',
    }),
    outcomes: {
      draft: 'bad_state',
      submitted: 'bad_state',
      scheduled: 'bad_state',
      published: 'published',
      withdrawn: 'gone',
      spiked: 'bad_state',
    },
  },
  {
    act: 'withdraw_update',
    args: ({ update_id }) => ({ update_id, reason: 'Not true.' }),
    outcomes: {
      draft: 'bad_state',
      submitted: 'bad_state',
      scheduled: 'bad_state',
      published: 'withdrawn',
      withdrawn: 'gone',
      spiked: 'bad_state',
    },
  },
  {
    act: 'pin_update',
    args: ({ coverage_id, update_id }) => ({ coverage_id, update_id }),
    outcomes: {
      draft: 'bad_state',
      submitted: 'bad_state',
      scheduled: 'bad_state',
      published: 'published',
      withdrawn: 'bad_state',
      spiked: 'bad_state',
    },
  },
];

/** Creates an update of the reporter in a state. */
async function makeUpdate(state: UpdateState): Promise<Scene> {
  const { reporter, editor } = context.actors;
  const coverage_id = await createCoverage(context.service);
  const update_id = randomUUID();
  const content = contentOf('First words.');
  const saved = await call<{ version: number }>(reporter.client, 'save_update', {
    coverage_id,
    update_id,
    content,
  });
  let { version } = saved;
  const steps: Record<UpdateState, [string, Record<string, unknown>][]> = {
    draft: [],
    submitted: [['submit_update', { update_id, version }]],
    scheduled: [['schedule_update', { coverage_id, update_id, content, version, scheduled_for: IN_A_DAY }]],
    published: [['publish_update', { coverage_id, update_id, content, version }]],
    withdrawn: [
      ['publish_update', { coverage_id, update_id, content, version }],
      ['withdraw_update', { update_id, reason: 'Wrong.' }],
    ],
    spiked: [['spike_update', { update_id, version }]],
  };
  for (const [name, args] of steps[state]) {
    version = (await call<{ version: number }>(editor.client, name, args)).version;
  }
  return { coverage_id, update_id, version };
}

describe('an update', () => {
  const cells = ACTS.flatMap(({ act, args, outcomes }) =>
    UPDATE_STATES.map((from) => ({ act, args, from, to: outcomes[from] })),
  );

  test.each(cells)('in state $from, $act: $to', async ({ act, args, from, to }) => {
    const scene = await makeUpdate(from);
    const before = await readCoverageRows(context.service, scene.coverage_id);
    expect(before.updates).toMatchObject([{ state: from }]);
    const outcome = await tryCall(context.actors.editor.client, act, args(scene));
    const after = await readCoverageRows(context.service, scene.coverage_id);
    if (to === 'bad_state' || to === 'gone') {
      expect(outcome).toMatchObject({ code: to, status: to === 'gone' ? 410 : 409 });
      expect(after).toEqual(before);
    } else {
      expect(outcome.code).toBe('ok');
      expect(after.updates).toMatchObject([{ state: to }]);
    }
  });

  test('without text can be saved and spiked, but not submitted', async () => {
    const coverage_id = await createCoverage(context.service);
    const update_id = randomUUID();
    const { client } = context.actors.reporter;
    await call(client, 'save_update', { coverage_id, update_id, content: { headline: 'Only this' } });
    expect(await tryCall(client, 'submit_update', { update_id, version: 1 })).toMatchObject({
      code: 'invalid',
      field: 'body',
    });
    expect(await tryCall(client, 'spike_update', { update_id, version: 1 })).toMatchObject({
      code: 'ok',
      result: { state: 'spiked' },
    });
  });

  test('stores one version for repeated saves of one person', async () => {
    const { coverage_id, update_id } = await makeUpdate('draft');
    const save = async (by: 'reporter' | 'editor', version: number, text: string) => {
      const args = { coverage_id, update_id, version, content: contentOf(text) };
      expect(await tryCall(context.actors[by].client, 'save_update', args)).toMatchObject({ code: 'ok' });
    };
    await save('reporter', 1, 'One.');
    await save('reporter', 2, 'Two.');
    await save('editor', 3, 'Three.');
    await save('editor', 4, 'Four.');
    await save('reporter', 5, 'Five.');
    const { data } = await context.service
      .from('update_revisions')
      .select('version')
      .eq('update_id', update_id)
      .order('version');
    expect(data?.map(({ version }) => version)).toEqual([3, 5, 6]);
  });

  test('marks the versions that readers could see', async () => {
    const { update_id, version } = await makeUpdate('published');
    const { client } = context.actors.editor;
    await call(client, 'revise_update', { update_id, version, content: contentOf('Revised.') });
    await call(client, 'withdraw_update', { update_id, reason: 'Not true.' });
    const { data } = await context.service
      .from('update_revisions')
      .select('version,kind,public')
      .eq('update_id', update_id)
      .order('version');
    expect(data).toEqual([
      { version: 1, kind: 'revision', public: false },
      { version: 2, kind: 'revision', public: true },
      { version: 3, kind: 'revision', public: true },
      { version: 4, kind: 'withdrawal', public: false },
    ]);
  });

  test('becomes a tombstone without content when it is withdrawn, and is unpinned', async () => {
    const scene = await makeUpdate('published');
    const { coverage_id, update_id } = scene;
    await call(context.actors.editor.client, 'pin_update', { coverage_id, update_id });
    await call(context.actors.reporter.client, 'withdraw_update', { update_id, reason: 'Not true.' });
    const { coverage, updates, revisions } = await readCoverageRows(context.service, coverage_id);
    expect(coverage).toMatchObject([{ pinned_update: null }]);
    expect(updates).toMatchObject([
      { state: 'withdrawn', number: 1, headline: null, body: [], withdrawn_reason: 'Not true.' },
    ]);
    expect(revisions.at(-1)).toMatchObject({ kind: 'withdrawal', note: 'Not true.' });
  });

  test('loses the content of one earlier version for good, but not of the current one', async () => {
    const { coverage_id, update_id, version } = await makeUpdate('published');
    const { editor, reporter } = context.actors;
    const photo = randomUUID();
    await call(reporter.client, 'save_photo', { coverage_id, photo_id: photo, content: { alt: 'A face.' } });
    const pictured = { body: [paragraph('Named.'), { type: 'photo', photo }] };
    await call(editor.client, 'revise_update', { update_id, version, content: pictured });
    const args = { update_id, version: version + 1, reason: ' A name. ' };
    const redact = (more: object = {}) => tryCall(editor.client, 'redact_revision', { ...args, ...more });

    const before = await readCoverageRows(context.service, coverage_id);
    expect(await redact()).toMatchObject({ code: 'bad_state' });
    expect(await redact({ version: 9 })).toMatchObject({ code: 'not_found' });
    expect(await redact({ version: 1, reason: ' ' })).toMatchObject({ code: 'invalid', field: 'reason' });
    expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);

    // Readers are not told about versions that they never saw.
    expect(await redact({ version: 1 })).toMatchObject({ code: 'ok' });
    await call(editor.client, 'revise_update', { update_id, version: 3, content: contentOf('Mended.') });
    const idempotency_key = randomUUID();
    const done = await redact({ idempotency_key });
    expect(done).toMatchObject({ code: 'ok', result: { version: version + 2 } });
    expect(await redact({ idempotency_key })).toEqual(done);
    expect(await redact()).toMatchObject({ code: 'bad_state' });
    const after = await readCoverageRows(context.service, coverage_id);
    expect(after.changes.slice(before.changes.length)).toMatchObject([
      { kind: 'revision' },
      { kind: 'redaction', update_id },
    ]);
    expect(after.updates).toMatchObject([{ version: version + 2, seq: done.result?.seq }]);
    const gone = { content: null, redacted_by: editor.id, redacted_reason: 'A name.' };
    expect(after.revisions).toMatchObject([
      { version: 1, ...gone, redacted_at: expect.any(String) },
      { version: 2, content: { body: contentOf('First words.').body }, redacted_at: null },
      { version: 3, ...gone },
      { version: 4, content: { body: contentOf('Mended.').body } },
    ]);
    const { data: log } = await context.service
      .from('audit_log')
      .select('created_by,detail')
      .eq('action', 'redact_revision')
      .eq('subject_id', update_id)
      .order('id');
    expect(log).toMatchObject(
      [1, 3].map((version) => ({ created_by: editor.id, detail: { number: 1, version } })),
    );

    // A withdrawn update can lose all versions, and with them its photos.
    await call(editor.client, 'revise_update', { update_id, version: 4, content: pictured });
    await call(editor.client, 'withdraw_update', { update_id, reason: 'A name.' });
    const photos = async () =>
      (await context.service.from('update_photos').select('photo_id').eq('update_id', update_id)).data;
    expect(await photos()).toEqual([{ photo_id: photo }]);
    for (const version of [2, 4, 5]) expect(await redact({ version })).toMatchObject({ code: 'ok' });
    expect(await redact({ version: 6 })).toMatchObject({ code: 'bad_state' });
    expect(await photos()).toEqual([]);
  });

  test('redacts hidden versions with the same content, reports current ones, and removes the note on request', async () => {
    const scene = await makeUpdate('draft');
    const { coverage_id, update_id } = scene;
    const { client } = context.actors.editor;
    const named = contentOf('Named.');
    // Versions: 1 draft, 2 the same content published, 3 corrected, 4 and 5 the first content again and the current
    // one.
    await call(client, 'publish_update', { ...scene, content: contentOf('First words.') });
    const correct = (version: number, content: object, note: string) =>
      call(client, 'correct_update', { update_id, version, content, note });
    await correct(2, named, 'Not Jones.');
    await correct(3, contentOf('First words.', { key_event: true }), 'Not Smith.');
    await correct(4, contentOf('Mended.'), 'Again.');
    const redact = (version: number, more: object = {}) =>
      tryCall(client, 'redact_revision', { update_id, version, reason: 'A name.', ...more });

    expect(await redact(2)).toMatchObject({ code: 'ok', result: { also_redacted: [1], still_present: [4] } });
    expect(await redact(3, { with_note: true })).toMatchObject({
      code: 'ok',
      result: { also_redacted: [], still_present: [] },
    });
    expect(await redact(4)).toMatchObject({ code: 'ok', result: { also_redacted: [], still_present: [] } });
    expect(await redact(4)).toMatchObject({ code: 'bad_state' });
    const { revisions } = await readCoverageRows(context.service, coverage_id);
    expect(revisions.map(({ content, note }) => [content?.body ?? null, note])).toEqual([
      [null, null],
      [null, null],
      [null, 'A name.'],
      [null, 'Not Smith.'],
      [contentOf('Mended.').body, 'Again.'],
    ]);
    // A note can be removed after its content.
    expect(await redact(4, { with_note: true, reason: 'Two.' })).toMatchObject({ code: 'ok' });
    const anyone = anonClient(context.backend);
    const notes = await anyone
      .from('update_notes')
      .select('note')
      .eq('update_id', update_id)
      .order('version');
    expect(notes.data).toEqual([{ note: 'A name.' }, { note: 'Two.' }, { note: 'Again.' }]);
    const told = await anyone
      .from('update_history')
      .select('note,redacted_reason')
      .eq('update_id', update_id)
      .order('version');
    expect(told.data?.slice(1, 3)).toEqual([
      { note: 'A name.', redacted_reason: 'A name.' },
      { note: 'Two.', redacted_reason: 'A name.' },
    ]);
  });

  test.each([
    ['revise_update', {}],
    ['correct_update', { note: 'A name.' }],
    ['save_update', {}],
    ['publish_update', {}],
  ])(
    'is not overwritten by %s from an older version, and the error names the current one',
    async (act, more) => {
      const atDesk = act === 'save_update' || act === 'publish_update';
      const { coverage_id, update_id, version } = await makeUpdate(atDesk ? 'draft' : 'published');
      const { client } = context.actors.editor;
      const place = atDesk ? { coverage_id } : {};
      await call(client, atDesk ? 'save_update' : 'revise_update', {
        ...place,
        update_id,
        version,
        content: contentOf('Meanwhile.'),
      });
      const before = await readCoverageRows(context.service, coverage_id);
      const { error } = await client.rpc(act, {
        idempotency_key: randomUUID(),
        ...place,
        update_id,
        version,
        content: contentOf('Too late.'),
        ...more,
      });
      expect(error).toMatchObject({ code: 'PT409', message: 'conflict' });
      expect(JSON.parse(error?.details ?? '')).toEqual({
        reason: 'version_outdated',
        version: version + 1,
      });
      expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
    },
  );
});
