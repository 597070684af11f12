import type { subscription } from '../../support/alerts.ts';
import { type Call, SERVER, VISITOR } from '../../support/database.ts';
import { alerts, database } from './follow-context.ts';

/* Calls of followers without an account, for the tests of devices and addresses. */

export type Device = ReturnType<typeof subscription>;
export type DeviceFollow = { kind: string; slug: string; name: string; state: string | null; scope: string };
export type Row = Record<string, unknown>;

/** The same browser with another secret, as an attacker who knows its address would send it. */
export const withWrongSecret = (device: Device): Device => ({
  ...device,
  keys: { ...device.keys, auth: `${'z'.repeat(21)}A` },
});

export const followArgs = (device: Device, target: object, scope = 'all') => ({
  subscription: device,
  device: 'Phone',
  target,
  scope,
});
export const followOn = (device: Device, target: object, scope = 'all') =>
  database.call(VISITOR, ['save_device_follow', followArgs(device, target, scope)]) as Promise<
    DeviceFollow[]
  >;
export const followsOn = (device: Device) =>
  database.call(VISITOR, ['list_device_follows', { subscription: device }]) as Promise<DeviceFollow[] | null>;
export const endOn = (device: Device, target: object | null = null) =>
  database.call(VISITOR, ['delete_device_follows', { subscription: device, target }]) as Promise<
    DeviceFollow[]
  >;

/** Rows of a device, as they are stored. */
export const storedDevice = async ({ endpoint }: Device) =>
  database.rows<Row>(
    `select s.auth, s.follower_id, f.scope, f.push, f.mail from public.push_subscriptions s
     left join public.follows f using (follower_id) where s.endpoint = $1 order by f.created_at`,
    [endpoint],
  );

export const newCoverage = async (state?: string) => {
  const id = await alerts.coverage(state);
  return { id, target: { coverage: alerts.slugOf(id) } };
};

/** Calls functions as a visitor whom the gateway names by this address. */
export const callFrom = (address: string, ...calls: Call[]) =>
  database.as(VISITOR, async (session) => {
    const headers = JSON.stringify({ 'x-forwarded-for': address });
    await session.query("select set_config('request.headers', $1, true)", [headers]);
    for (const [name, args] of calls) {
      const values = Object.values(args).map((value) =>
        typeof value === 'object' ? JSON.stringify(value) : value,
      );
      const named = Object.keys(args).map((key, n) => `${key} => $${n + 1}`);
      await session.query(`select public.${name}(${named})`, values);
    }
  });

export const useMail = (mail = true) =>
  database.call(SERVER, ['save_alert_settings', { push_public: null, push_private: null, mail }]);
