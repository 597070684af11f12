import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Claims } from '../../../packages/embedded-supabase/src/gateway/claims.ts';
import { clientOf } from './door.ts';
import type { Explaining } from './explaining.ts';
import type { Readings } from './readings.ts';
import type { Seeded } from './seed.ts';

const content = (text: string) => ({ body: [{ type: 'paragraph', runs: [{ text }] }] });

/** What people and the server do to a coverage: each to an update of its own, so that they may come in any order. */
export function writings({ engine, lite }: Explaining): Readings {
  const call = (claims: Claims, name: string, args: Record<string, unknown>) => {
    // Names that come as values: the types of the one and the other cannot meet.
    const client = clientOf(lite, claims) as unknown as SupabaseClient;
    return client.rpc(name, args).throwOnError();
  };
  const press = (who: Claims, name: string, args: Record<string, unknown>) =>
    call(who, name, { op: randomUUID(), ...args });
  const server = (name: string, args: Record<string, unknown>) => call({ role: 'service_role' }, name, args);
  const idOf = async (coverage: Seeded, number: number) => {
    const { rows } = await engine.transaction((session) =>
      session.query<{ id: string; version: number }>(
        'select id, version from public.updates where coverage_id = $1::uuid and number = $2::integer',
        [coverage.id, number],
      ),
    );
    if (!rows[0]) throw new Error(`There is no update ${number}.`);
    return { update_id: rows[0].id, version: rows[0].version };
  };
  const versionOf = async ({ id }: Seeded) => {
    const { rows } = await engine.transaction((session) =>
      session.query<{ version: number }>('select version from public.coverages where id = $1::uuid', [id]),
    );
    return rows[0]?.version;
  };
  const waiting = async (coverage: Seeded) => {
    const update_id = randomUUID();
    await press(coverage.person, 'save_update', {
      coverage_id: coverage.id,
      update_id,
      content: content('Waits.'),
    });
    return update_id;
  };
  return {
    publishing: ({ id, person }) =>
      press(person, 'publish_update', {
        coverage_id: id,
        update_id: randomUUID(),
        content: content('Just in.'),
      }),
    'saving at the desk': waiting,
    'publishing what waits': async (coverage) => {
      const update_id = await waiting(coverage);
      await press(coverage.person, 'publish_update', {
        coverage_id: coverage.id,
        update_id,
        content: content('Now.'),
        version: 1,
      });
    },
    revising: async (coverage) => {
      const known = await idOf(coverage, coverage.count - 8);
      await press(coverage.person, 'revise_update', { ...known, content: content('Revised.') });
    },
    correcting: async (coverage) => {
      const known = await idOf(coverage, coverage.count - 9);
      await press(coverage.person, 'correct_update', {
        ...known,
        content: content('Corrected.'),
        note: 'It was not so.',
      });
    },
    withdrawing: async (coverage) => {
      const { rows } = await engine.transaction((session) =>
        session.query<{ id: string }>(
          `select id from public.updates where coverage_id = $1::uuid and state = 'published' and number > $2::integer
           order by number limit 1`,
          [coverage.id, coverage.count - 30],
        ),
      );
      await press(coverage.person, 'withdraw_update', { update_id: rows[0]?.id, reason: 'It was wrong.' });
    },
    pinning: async (coverage) => {
      const { update_id } = await idOf(coverage, coverage.count - 2);
      await press(coverage.person, 'pin_update', { coverage_id: coverage.id, update_id });
      await press(coverage.person, 'pin_update', { coverage_id: coverage.id, update_id: null });
    },
    'what is known': async (coverage) => {
      const summary = content('What is known.').body;
      await press(coverage.person, 'set_summary', {
        coverage_id: coverage.id,
        version: await versionOf(coverage),
        summary,
      });
    },
    'its own words': async (coverage) => {
      const changed = { headline: `A coverage ${randomUUID()}` };
      await press(coverage.person, 'save_coverage', {
        coverage_id: coverage.id,
        version: await versionOf(coverage),
        content: changed,
      });
    },
    'pausing and going on': async ({ id, person }) => {
      await press(person, 'set_coverage_state', { coverage_id: id, state: 'paused' });
      await press(person, 'set_coverage_state', { coverage_id: id, state: 'live' });
    },
    'the schedule': async (coverage) => {
      const update_id = randomUUID();
      const scheduled_for = new Date(Date.now() + 60_000).toISOString();
      await press(coverage.person, 'schedule_update', {
        coverage_id: coverage.id,
        update_id,
        content: content('Later.'),
        scheduled_for,
      });
      await engine.transaction((session) =>
        session.query('update public.updates set scheduled_for = now() where id = $1::uuid', [update_id]),
      );
      await engine.execOutsideTransaction('call private.publish_due()');
    },
    'saying what a photo shows': async ({ id, person, count }) => {
      const { rows } = await engine.transaction((session) =>
        session.query<{ photo: string }>(
          `select p.photo_id as photo from public.updates u join public.update_photos p on p.update_id = u.id
           where u.coverage_id = $1::uuid and u.number = $2::integer`,
          [id, count - 7],
        ),
      );
      await press(person, 'save_photo', {
        photo_id: rows[0]?.photo,
        coverage_id: id,
        content: { caption: randomUUID() },
      });
    },
    'an import of what is there': async (coverage) => {
      const { update_id } = await idOf(coverage, coverage.count - 5);
      const item = { id: update_id, published_at: '2025-01-01T00:00:00Z', content: content('Old.') };
      await server('check_import', { items: [item] });
      await server('import_updates', { coverage_id: coverage.id, items: [item] });
    },
    'an import of something new': async (coverage) => {
      const item = { id: randomUUID(), published_at: new Date().toISOString(), content: content('New.') };
      await server('import_updates', { coverage_id: coverage.id, items: [item] });
    },
    'a name of somebody bylined': ({ person }) =>
      press(person, 'save_me', { content: { display_name: `Editor ${randomUUID().slice(0, 8)}` } }),
  };
}

/** What the server does by itself. */
export const chores = ({ engine }: Explaining): Readings => ({
  'the schedule, when nothing is due': () => engine.execOutsideTransaction('call private.publish_due()'),
  'forgetting what is old': () => engine.execOutsideTransaction('select private.delete_expired_data()'),
});
