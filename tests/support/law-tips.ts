import { randomUUID } from 'node:crypto';
import type { Claims } from '../../packages/embedded-supabase/src/gateway/claims.ts';
import { type Law, SERVER } from './law-in-sql.ts';

export const newReceipt = () => randomUUID() + randomUUID();

/** No two are the same tip. */
let told = 0;

export type Sent = { tip_id?: string; content?: object; receipt?: unknown; sender?: object };
export type TakenIn = { id: string; held: boolean; photo: string | null };

/** Sends a tip as the server does for a sender. */
export const sendTip = (
  law: Law,
  { tip_id = randomUUID(), content = {}, receipt = newReceipt(), sender = {} }: Sent = {},
): Promise<TakenIn> =>
  law.press(SERVER, [
    'add_tip',
    { tip_id, content: { body: `A dam broke: ${++told}.`, ...content }, receipt, sender },
  ]) as Promise<TakenIn>;

/** A tip as the database has it. */
export const tipRow = async (law: Law, id: string) =>
  (await law.rows<Record<string, unknown>>('select * from public.tips where id = $1', [id]))[0];

export type Queued = Record<string, unknown> & {
  id: string;
  version: number;
  photo: Record<string, unknown> | null;
};

/** What somebody finds in the queue. */
export const queueOf = (law: Law, who: Claims, wanted: object) =>
  law.press(who, ['tip_queue', { wanted }]) as Promise<Queued[]>;

export const PRINTS = [{ width: 480, height: 320, bytes: 9_000 }];

/** The site's server has looked at a photo. */
export const developPhoto = (law: Law, photo_id: string | null) =>
  law.press(SERVER, ['photo_developed', { photo_id, prints: PRINTS, colour: '#0a1b2c' }]);

/** A new coverage, brought into these states one after another. */
export async function coverageIn(law: Law, ...states: string[]) {
  const coverage_id = randomUUID();
  const slug = `case-${coverage_id}`;
  await law.press(
    SERVER,
    ['create_coverage', { coverage_id, content: { slug, headline: 'A case' } }],
    ...states.map((state): [string, Record<string, unknown>] => [
      'set_coverage_state',
      { coverage_id, state },
    ]),
  );
  return { coverage_id, slug };
}
