import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { paragraph, type Saved } from '../support/newsroom.ts';
import { type Hand, insist, press, tryCall } from './commands.ts';
import type { Chance } from './random.ts';

/** A person at work until the end of the run, who finishes the last action. */
export type Work = { hand: Hand; chance: Chance; isOver(): boolean };

/** Ms between two actions of a person. */
const PAUSE_MS = 200;

/** Ms between scheduling an update and its time. */
const LEAD_MS = 6_000;

type Own = { id: string; version: number };

const content = (headline: string, more: object = {}) => ({
  headline,
  body: [paragraph(`${headline}. The water stands at the third step.`)],
  ...more,
});

/** A reporter who publishes, revises, corrects, withdraws and schedules own updates, sometimes twice. */
export async function report(
  { hand, chance, isOver }: Work,
  name: string,
  client: SupabaseClient,
  coverage_id: string,
): Promise<void> {
  const { ledger } = hand;
  let own: Own[] = [];
  let written = 0;
  const headlineOf = () => `${name} ${++written}`;

  function kept(saved: Saved | undefined, headline: string): void {
    if (!saved) return;
    const { id, version, number, seq } = saved;
    ledger.versions.push({ id, version, headline });
    if (seq) ledger.changes.push(saved);
    if (number) ledger.numbers.set(id, number);
    ledger.seq = Math.max(ledger.seq, seq ?? 0);
    own = [...own.filter((one) => one.id !== id), { id, version }].slice(-40);
  }

  async function publish(times = 1): Promise<void> {
    const headline = headlineOf();
    const args = {
      idempotency_key: randomUUID(),
      coverage_id,
      update_id: randomUUID(),
      content: content(headline),
    };
    const presses = Array.from({ length: times }, () => press<Saved>(hand, client, 'publish_update', args));
    const [saved] = await Promise.all(presses);
    kept(saved, headline);
  }

  async function draftFirst(): Promise<void> {
    const update_id = randomUUID();
    const first = headlineOf();
    const draft = { idempotency_key: randomUUID(), coverage_id, update_id, content: content(first) };
    const saved = await press<Own>(hand, client, 'save_update', draft);
    if (!saved) return;
    const headline = headlineOf();
    const args = {
      idempotency_key: randomUUID(),
      coverage_id,
      update_id,
      version: saved.version,
      content: content(headline),
    };
    kept(await press<Saved>(hand, client, 'publish_update', args), headline);
  }

  async function change(kind: 'revise_update' | 'correct_update', times = 1): Promise<void> {
    if (own.length === 0) return publish();
    const { id, version } = chance.oneOf(own);
    const headline = headlineOf();
    const note = kind === 'correct_update' ? { note: `It was ${headline}.` } : {};
    const args = {
      idempotency_key: randomUUID(),
      update_id: id,
      version,
      content: content(headline),
      ...note,
    };
    const presses = Array.from({ length: times }, () => press<Saved>(hand, client, kind, args));
    const [saved] = await Promise.all(presses);
    kept(saved, headline);
  }

  async function withdraw(): Promise<void> {
    if (own.length < 5) return publish();
    const { id } = chance.oneOf(own);
    own = own.filter((one) => one.id !== id);
    const args = { idempotency_key: randomUUID(), update_id: id, reason: 'It was another river.' };
    const saved = await press<Saved>(hand, client, 'withdraw_update', args);
    if (!saved) return;
    ledger.changes.push(saved);
    ledger.withdrawn.add(id);
    ledger.seq = Math.max(ledger.seq, saved.seq);
  }

  async function schedule(): Promise<void> {
    const update_id = randomUUID();
    const scheduled_for = new Date(Date.now() + LEAD_MS).toISOString();
    const args = {
      idempotency_key: randomUUID(),
      coverage_id,
      update_id,
      content: content(headlineOf()),
      scheduled_for,
    };
    const saved = await insist<Own | null>(hand, 'schedule_update', async () => {
      const tried = await tryCall<Own>(client, 'schedule_update', args);
      // The scheduled time has passed during an outage, so the refusal is correct.
      return 'refused' in tried && Date.now() > Date.parse(scheduled_for) ? { result: null } : tried;
    });
    if (saved) ledger.scheduled.add(update_id);
  }

  await publish(2);
  await change('revise_update', 2);
  while (!isOver()) {
    const dice = chance.below(100);
    if (dice < 42) await publish();
    else if (dice < 50) await publish(2);
    else if (dice < 56) await draftFirst();
    else if (dice < 78) await change('revise_update', dice < 62 ? 2 : 1);
    else if (dice < 88) await change('correct_update');
    else if (dice < 96) await withdraw();
    else await schedule();
    await wait(PAUSE_MS);
  }
}

/** An editor who pins updates, changes the coverage's state, and sometimes publishes urgently. */
export async function edit(
  { hand, chance, isOver }: Work,
  client: SupabaseClient,
  coverage_id: string,
): Promise<void> {
  const { ledger } = hand;
  let live = true;
  let urgent = 0;
  while (!isOver()) {
    const dice = chance.below(10);
    const idempotency_key = randomUUID();
    if (dice < 5) {
      const there = [...ledger.numbers.keys()].filter((id) => !ledger.withdrawn.has(id));
      // An update that is being withdrawn cannot be pinned, which would be a correct refusal.
      const update_id = chance.next() < 0.3 ? null : (there[0] ?? null);
      if (update_id === null)
        await press(hand, client, 'pin_update', { idempotency_key, coverage_id, update_id });
    } else if (dice < 8) {
      live = !live;
      const state = live ? 'live' : 'paused';
      await press(hand, client, 'set_coverage_state', { idempotency_key, coverage_id, state });
    } else {
      const headline = `urgent ${++urgent}`;
      const args = {
        idempotency_key,
        coverage_id,
        update_id: randomUUID(),
        content: content(headline, { urgency: 'urgent' }),
      };
      const saved = await press<Saved>(hand, client, 'publish_update', args);
      if (saved) {
        ledger.versions.push({ id: saved.id, version: saved.version, headline });
        ledger.changes.push(saved);
        ledger.numbers.set(saved.id, saved.number);
        await press(hand, client, 'pin_update', {
          idempotency_key: randomUUID(),
          coverage_id,
          update_id: saved.id,
        });
      }
    }
    await wait(PAUSE_MS * 5);
  }
}

/** An owner who gives a role and takes it away, with an audit log entry each time. */
export async function administer(
  { hand, isOver }: Work,
  client: SupabaseClient,
  person_id: string,
): Promise<void> {
  const { roles } = hand.ledger;
  for (let turn = 0; !isOver(); turn++) {
    const role = turn % 2 ? 'reader' : 'moderator';
    if (await press(hand, client, 'set_role', { idempotency_key: randomUUID(), person_id, role }))
      roles.set(person_id, (roles.get(person_id) ?? 0) + 1);
    await wait(PAUSE_MS * 10);
  }
}
