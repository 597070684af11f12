import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  openPresence,
  type PresenceDiff,
  type PresenceState,
} from '../../../../packages/embedded-supabase/src/realtime/channels.ts';

/** The state of a client that received all changes: leaves remove by ref, joins add. */
function applyDiff(state: PresenceState, { joins, leaves }: PresenceDiff): PresenceState {
  const metas = new Map(Object.entries(state).map(([key, all]) => [key, all.metas]));
  for (const [key, left] of Object.entries(leaves)) {
    const refs = left.metas.map(({ phx_ref }) => phx_ref);
    metas.set(
      key,
      (metas.get(key) ?? []).filter(({ phx_ref }) => !refs.includes(phx_ref)),
    );
  }
  for (const [key, joined] of Object.entries(joins))
    metas.set(key, [...(metas.get(key) ?? []), ...joined.metas]);
  return Object.fromEntries(
    [...metas].filter(([, all]) => all.length > 0).map(([key, all]) => [key, { metas: all }]),
  );
}

const sorted = (present: PresenceState) =>
  Object.entries(present)
    .map(([key, { metas }]) => [key, metas.map(({ phx_ref }) => phx_ref).sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

test('clients that receive every change know who is present', () => {
  const clients = [{}, {}, {}, {}];
  const keys = ['ada', 'ada', 'bob', '__proto__'];
  const act = fc.record({ who: fc.nat(3), says: fc.option(fc.nat(2)) });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const presence = openPresence();
      let state: PresenceState = {};
      for (const { who, says } of acts) {
        const [client, key] = [clients[who] ?? {}, keys[who] ?? ''];
        const change = says === null ? presence.untrack(client) : presence.track(client, key, { says });
        if (change) state = applyDiff(state, change);
        expect(sorted(state)).toEqual(sorted(presence.state()));
      }
    }),
  );
});

test('each change has its own ref, and names the one that it replaces', () => {
  const presence = openPresence();
  const me = {};
  const first = presence.track(me, 'ada', { on: 'phone', phx_ref: 'mine' });
  const second = presence.track(me, 'ada', { on: 'desk' });
  const [before, after] = [first?.joins.ada?.metas[0], second?.joins.ada?.metas[0]];
  expect(before?.phx_ref).not.toBe('mine');
  expect(after).toEqual({ on: 'desk', phx_ref: expect.any(String), phx_ref_prev: before?.phx_ref });
  expect(second?.leaves.ada?.metas).toEqual([before]);
  expect(presence.track(me, 'ada', { on: 'desk' })).toBeUndefined();
  expect(presence.size).toBe(1);
});
