import { randomUUID } from 'node:crypto';
import type { Claims } from '../../packages/embedded-supabase/src/gateway/claims.ts';
import { says, WAYS } from './law.ts';
import { type Law, SERVER } from './law-in-sql.ts';
import type { Saved } from './newsroom.ts';

export type Person = Claims & { sub: string };

/** Where a browser of these tests is told: a push service that the newsroom knows. */
export const SERVICE = 'https://fcm.googleapis.com/fcm/send';

/** What a browser says of its subscription, with keys of the right form. */
export const subscription = (endpoint = `${SERVICE}/${randomUUID()}`) => ({
  endpoint,
  expirationTime: null,
  keys: { p256dh: `BA${'a'.repeat(85)}`, auth: `${'b'.repeat(21)}A` },
});

export type Told = { number: number; headline: string | null; text: string; urgency: string };
export type Delivery = {
  id: string;
  channel: 'push' | 'mail';
  alert: string;
  urgent: boolean;
  language: string;
  coverage: { slug: string; headline: string };
  updates: Told[];
  total: number;
  push: { endpoint: string; p256dh: string; auth: string } | null;
  mail: { to: string; name: string; stop: string; follow: { kind: string; slug: string } } | null;
};

/** A newsroom that people follow, with the law alone behind it. */
export function followersOf(law: Law, staff: () => Person) {
  const slugOf = (coverage_id: string) => `case-${coverage_id}`;
  const room = {
    slugOf,
    /** A coverage in a state, with topics. @returns its id, which its slug is made of */
    async coverage(state = 'live', topics: string[] = []) {
      const coverage_id = randomUUID();
      const content = {
        slug: slugOf(coverage_id),
        headline: 'A case',
        starts_at: '2030-01-01T00:00:00Z',
        topics,
      };
      await law.press(SERVER, ['create_coverage', { coverage_id, content }]);
      for (const step of WAYS[state] ?? []) {
        await law.press(SERVER, ['set_coverage_state', { coverage_id, state: step }]);
      }
      return coverage_id;
    },
    /** @returns its slug */
    async topic() {
      const slug = `topic-${randomUUID()}`;
      await law.press(SERVER, ['save_topic', { slug, name: 'Weather' }]);
      return slug;
    },
    /** Somebody new whose address is confirmed. */
    async person() {
      const person = await law.hire();
      await law.rows('update auth.users set email_confirmed_at = now() where id = $1', [person.sub]);
      return person;
    },
    follow: (who: Claims, target: object, how: { scope?: string; mail?: boolean; push?: boolean } = {}) =>
      law.press(who, ['save_follow', { target, scope: 'all', mail: false, push: true, ...how }]) as Promise<{
        id: string;
      } | null>,
    subscribe: (who: Claims, endpoint?: string) =>
      law.press(who, ['save_push', { subscription: subscription(endpoint), device: 'Phone' }]) as Promise<{
        id: string;
      }>,
    /** Somebody new who follows a coverage by push, on one device. */
    async follower(coverage_id: string, how = {}) {
      const person = await room.person();
      await room.follow(person, { coverage: slugOf(coverage_id) }, how);
      await room.subscribe(person);
      return person;
    },
    publish: (coverage_id: string, text = 'News.', more: object = {}) =>
      law.press(staff(), [
        'publish_update',
        { coverage_id, update_id: randomUUID(), content: says(text, more) },
      ]) as Promise<Saved>,
    withdraw: ({ id }: { id: string }) =>
      law.press(staff(), ['withdraw_update', { update_id: id, reason: 'Not true.' }]),
    /** Lets time pass for all that alerts hang on. */
    async pass(seconds: number) {
      await law.rows(`with f as (update public.follows set created_at = created_at - make_interval(secs => ${seconds})),
        u as (update public.updates set published_at = published_at - make_interval(secs => ${seconds}),
          revised_at = revised_at - make_interval(secs => ${seconds}) where published_at is not null),
        d as (update public.deliveries set due_at = due_at - make_interval(secs => ${seconds}),
          claimed_at = claimed_at - make_interval(secs => ${seconds}), lease_until = lease_until - make_interval(secs => ${seconds}),
          begun_at = begun_at - make_interval(secs => ${seconds}))
        update public.alerts set due_at = due_at - make_interval(secs => ${seconds}),
          latest_at = latest_at - make_interval(secs => ${seconds}), begun_at = begun_at - make_interval(secs => ${seconds})`);
    },
    claim: (most = 200) => law.press(SERVER, ['claim_deliveries', { most }]) as Promise<Delivery[]>,
    due: () => law.press(SERVER, ['alerts_due', {}]) as Promise<number | null>,
    async begin(ids: string[]) {
      const [row] = await law.rows<{ ids: string[] }>('select public.begin_deliveries($1) as ids', [ids]);
      return row?.ids ?? [];
    },
    record: (results: { id: string; outcome: string; retry_after?: number; error?: string }[]) =>
      law.press(SERVER, ['record_deliveries', { results }]),
    /** Sends everything that is to be sent now. @returns it, in the order of receivers and channels */
    async tell(): Promise<Delivery[]> {
      const all: Delivery[] = [];
      for (;;) {
        const claimed = await room.claim();
        if (claimed.length === 0) return all;
        const begun = await room.begin(claimed.map(({ id }) => id));
        await room.record(begun.map((id) => ({ id, outcome: 'sent' })));
        all.push(...claimed.filter(({ id }) => begun.includes(id)));
      }
    },
    /** What waits or was told in a coverage, the alert that is due first first. */
    alerts: (coverage_id: string) =>
      law.rows<{ scope: string; channel: string; updates: string[]; urgent: boolean; wait: number }>(
        `select scope, channel, updates::text[], urgent, ceil(extract(epoch from due_at - now()))::int as wait
         from public.alerts where coverage_id = $1 order by due_at, scope, channel`,
        [coverage_id],
      ),
  };
  return room;
}
