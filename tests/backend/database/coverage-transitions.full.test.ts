import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { contentOf, createCoverage, readCoverageRows, tryCall } from '../../support/actors.ts';
import { call } from '../../support/newsroom.ts';
import { context, useContext } from './transition-context.ts';

useContext();

const COVERAGE_STATES = ['draft', 'scheduled', 'live', 'paused', 'ended', 'archived', 'withdrawn'] as const;

type CoverageState = (typeof COVERAGE_STATES)[number];

/** The states that an editor may choose, by current state. */
const MAY_BECOME: Record<CoverageState, CoverageState[]> = {
  draft: ['scheduled', 'live'],
  scheduled: ['live', 'withdrawn'],
  live: ['paused', 'ended', 'withdrawn'],
  paused: ['live', 'ended', 'withdrawn'],
  ended: ['live', 'archived', 'withdrawn'],
  archived: ['withdrawn'],
  withdrawn: [],
};

describe('a coverage', () => {
  const pairs = COVERAGE_STATES.flatMap((from) => COVERAGE_STATES.map((to) => [from, to] as const));

  test.each(pairs)('changes from %s to %s only if allowed', async (from, to) => {
    const coverage_id = await createCoverage(context.service, from);
    const before = await readCoverageRows(context.service, coverage_id);
    const outcome = await tryCall(context.actors.editor.client, 'set_coverage_state', {
      coverage_id,
      state: to,
    });
    const after = await readCoverageRows(context.service, coverage_id);
    if (MAY_BECOME[from].includes(to)) {
      expect(outcome).toMatchObject({ code: 'ok', result: { state: to } });
      expect(after.coverage).toMatchObject([{ state: to, seq: before.changes.length + 1 }]);
      expect(after.changes.at(-1)).toMatchObject({ kind: 'state', seq: before.changes.length + 1 });
    } else {
      expect(outcome).toMatchObject({ code: 'bad_state', status: 409 });
      expect(after).toEqual(before);
    }
  });

  test('cannot be scheduled without a time', async () => {
    const coverage_id = await createCoverage(context.service, 'draft', { starts_at: null });
    const outcome = await tryCall(context.actors.editor.client, 'set_coverage_state', {
      coverage_id,
      state: 'scheduled',
    });
    expect(outcome).toMatchObject({ code: 'invalid', status: 422, field: 'starts_at' });
    expect((await readCoverageRows(context.service, coverage_id)).coverage).toMatchObject([
      { state: 'draft' },
    ]);
  });

  test('keeps its time while it is scheduled', async () => {
    const coverage_id = await createCoverage(context.service, 'scheduled');
    const outcome = await tryCall(context.actors.editor.client, 'save_coverage', {
      coverage_id,
      version: 1,
      content: { starts_at: null },
    });
    expect(outcome).toMatchObject({ code: 'invalid', field: 'starts_at' });
  });

  test('has times of first publication and end, and loses the end when it is reopened', async () => {
    const coverage_id = await createCoverage(context.service, 'ended');
    const [ended] = (await readCoverageRows(context.service, coverage_id)).coverage;
    expect(ended.ended_at > ended.published_at, `${ended.ended_at} is after ${ended.published_at}`).toBe(
      true,
    );
    await call(context.actors.editor.client, 'set_coverage_state', { coverage_id, state: 'live' });
    const [live] = (await readCoverageRows(context.service, coverage_id)).coverage;
    expect(live).toMatchObject({ ended_at: null, published_at: ended.published_at });
  });

  test.each(COVERAGE_STATES)('takes updates only while live, paused or ended: %s', async (state) => {
    const coverage_id = await createCoverage(context.service, state);
    const before = await readCoverageRows(context.service, coverage_id);
    const outcome = await tryCall(context.actors.editor.client, 'publish_update', {
      coverage_id,
      update_id: randomUUID(),
      content: contentOf('News.'),
    });
    if (['live', 'paused', 'ended'].includes(state)) {
      expect(outcome).toMatchObject({ code: 'ok', result: { number: 1, seq: before.changes.length + 1 } });
    } else {
      expect(outcome).toMatchObject({ code: 'bad_state', status: 409 });
      expect(await readCoverageRows(context.service, coverage_id)).toEqual(before);
    }
  });

  test.each(COVERAGE_STATES)('keeps drafts at the desk in every state: %s', async (state) => {
    const coverage_id = await createCoverage(context.service, state);
    const { changes } = await readCoverageRows(context.service, coverage_id);
    const saved = await tryCall(context.actors.reporter.client, 'save_update', {
      coverage_id,
      update_id: randomUUID(),
      content: contentOf('Not yet.'),
    });
    expect(saved).toMatchObject({ code: 'ok', result: { state: 'draft', number: null, seq: null } });
    expect((await readCoverageRows(context.service, coverage_id)).changes).toEqual(changes);
  });
});
