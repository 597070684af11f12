import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import {
  type ActorName,
  contentOf,
  createCoverage,
  createSharedCoverage,
  type TestContext,
} from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import { call } from '../../support/newsroom.ts';

let context: TestContext;
test.beforeAll(async ({ context: shared }) => {
  context = shared;
});

describe('with an existing session', () => {
  const deskOf = async (who: ActorName, coverage_id: string) => {
    const { data } = await context.actors[who].client
      .from('desk_updates')
      .select('id')
      .eq('coverage_id', coverage_id);
    return data?.length;
  };

  test('an expired membership gives no more access', async () => {
    const coverage_id = await createSharedCoverage(context, 'draft');
    const scene = { coverage_id, update_id: randomUUID(), content: contentOf('Mine.') };
    const { client, id } = context.actors.contributor;
    await call(client, 'save_update', scene);
    expect(await deskOf('contributor', coverage_id)).toBe(1);
    await call(context.actors.editor.client, 'set_coverage_member', {
      coverage_id,
      person_id: id,
      expires_at: '2020-01-01T00:00:00Z',
    });
    expect(await deskOf('contributor', coverage_id)).toBe(0);
    expect((await client.from('coverages').select('id').eq('id', coverage_id)).data).toEqual([]);
    const again = call(client, 'save_update', { ...scene, version: 1 });
    await expect(again).rejects.toThrow('not_found');
  });

  test('a demoted reporter can no longer write', async () => {
    const coverage_id = await createCoverage(context.service);
    const { client, id } = context.actors.colleague;
    const write = (name: string) =>
      call(client, name, { coverage_id, update_id: randomUUID(), content: contentOf('News.') });
    await write('publish_update');
    await write('save_update');
    expect(await deskOf('colleague', coverage_id)).toBe(2);
    await call(context.actors.owner.client, 'set_role', { person_id: id, role: 'reader' });
    expect(await deskOf('colleague', coverage_id)).toBe(0);
    await expect(write('publish_update')).rejects.toThrow('forbidden');
    await expect(write('save_update')).rejects.toThrow('forbidden');
    await call(context.actors.owner.client, 'set_role', { person_id: id, role: 'reporter' });
    expect(await deskOf('colleague', coverage_id)).toBe(2);
  });

  test('a withdrawn coverage disappears from everywhere at once', async () => {
    const { editor, visitor } = context.actors;
    await call(editor.client, 'save_topic', { slug: 'weather', name: 'Weather' });
    const coverage_id = await createCoverage(context.service, 'live', { topics: ['weather'] });
    const scene = { coverage_id, update_id: randomUUID(), content: contentOf('News.') };
    await call(editor.client, 'publish_update', scene);
    const { update_id, content } = scene;
    await call(editor.client, 'correct_update', { update_id, version: 1, content, note: 'A name.' });
    const places = [
      ['coverages', 'id', coverage_id],
      ['coverage_slugs', 'coverage_id', coverage_id],
      ['coverage_topics', 'coverage_id', coverage_id],
      ['coverage_changes', 'coverage_id', coverage_id],
      ['updates', 'coverage_id', coverage_id],
      ['update_bylines', 'update_id', update_id],
      ['update_notes', 'update_id', update_id],
    ] as const;
    const seen = () =>
      Promise.all(
        places.map(async ([table, column, id]) => {
          const { data } = await visitor.client.from(table).select(column).eq(column, id);
          return [table, (data?.length ?? 0) > 0];
        }),
      );
    expect(await seen()).toEqual(places.map(([table]) => [table, true]));
    await call(editor.client, 'set_coverage_state', { coverage_id, state: 'withdrawn' });
    expect(await seen()).toEqual(places.map(([table]) => [table, false]));
  });
});
