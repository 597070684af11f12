import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { paragraph, type SavedUpdate } from '../support/newsroom.ts';
import type { SeededRandom } from '../support/random.ts';
import { type CommandRunner, retryUntilAnswered, runCommand, tryCall } from './commands.ts';

/** State of a writer, who works until `isOver` and finishes the last command. */
export type WriterContext = { runner: CommandRunner; random: SeededRandom; isOver(): boolean };

/** Milliseconds between two commands of one person. */
const PAUSE_MS = 200;

/** Milliseconds from scheduling an update to its time. */
const LEAD_MS = 6_000;

type OwnUpdate = { id: string; version: number };

const content = (headline: string, more: object = {}) => ({
  headline,
  body: [paragraph(`${headline}. The water stands at the third step.`)],
  ...more,
});

/** Writes, revises, corrects, withdraws and schedules own updates as a reporter, with some commands sent twice. */
export async function runReporter(
  { runner, random, isOver }: WriterContext,
  name: string,
  client: SupabaseClient,
  coverage_id: string,
): Promise<void> {
  const { ledger } = runner;
  let own: OwnUpdate[] = [];
  let count = 0;
  const headlineOf = () => `${name} ${++count}`;

  function record(saved: SavedUpdate | undefined, headline: string): void {
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
    const attempts = Array.from({ length: times }, () =>
      runCommand<SavedUpdate>(runner, client, 'publish_update', args),
    );
    const [saved] = await Promise.all(attempts);
    record(saved, headline);
  }

  async function draftFirst(): Promise<void> {
    const update_id = randomUUID();
    const first = headlineOf();
    const draft = { idempotency_key: randomUUID(), coverage_id, update_id, content: content(first) };
    const saved = await runCommand<OwnUpdate>(runner, client, 'save_update', draft);
    if (!saved) return;
    const headline = headlineOf();
    const args = {
      idempotency_key: randomUUID(),
      coverage_id,
      update_id,
      version: saved.version,
      content: content(headline),
    };
    record(await runCommand<SavedUpdate>(runner, client, 'publish_update', args), headline);
  }

  async function change(kind: 'revise_update' | 'correct_update', times = 1): Promise<void> {
    if (own.length === 0) return publish();
    const { id, version } = random.pick(own);
    const headline = headlineOf();
    const note = kind === 'correct_update' ? { note: `It was ${headline}.` } : {};
    const args = {
      idempotency_key: randomUUID(),
      update_id: id,
      version,
      content: content(headline),
      ...note,
    };
    const attempts = Array.from({ length: times }, () => runCommand<SavedUpdate>(runner, client, kind, args));
    const [saved] = await Promise.all(attempts);
    record(saved, headline);
  }

  async function withdraw(): Promise<void> {
    if (own.length < 5) return publish();
    const { id } = random.pick(own);
    own = own.filter((one) => one.id !== id);
    const args = { idempotency_key: randomUUID(), update_id: id, reason: 'It was another river.' };
    const saved = await runCommand<SavedUpdate>(runner, client, 'withdraw_update', args);
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
    const saved = await retryUntilAnswered<OwnUpdate | null>(runner, 'schedule_update', async () => {
      const outcome = await tryCall<OwnUpdate>(client, 'schedule_update', args);
      // The scheduled time passed before a response arrived, so this refusal is correct.
      return 'refused' in outcome && Date.now() > Date.parse(scheduled_for) ? { result: null } : outcome;
    });
    if (saved) ledger.scheduled.add(update_id);
  }

  await publish(2);
  await change('revise_update', 2);
  while (!isOver()) {
    const roll = random.below(100);
    if (roll < 42) await publish();
    else if (roll < 50) await publish(2);
    else if (roll < 56) await draftFirst();
    else if (roll < 78) await change('revise_update', roll < 62 ? 2 : 1);
    else if (roll < 88) await change('correct_update');
    else if (roll < 96) await withdraw();
    else await schedule();
    await wait(PAUSE_MS);
  }
}

/** Pins updates, changes the state of the coverage and publishes urgent updates as an editor. */
export async function runEditor(
  { runner, random, isOver }: WriterContext,
  client: SupabaseClient,
  coverage_id: string,
): Promise<void> {
  const { ledger } = runner;
  let live = true;
  let urgent = 0;
  while (!isOver()) {
    const roll = random.below(10);
    const idempotency_key = randomUUID();
    if (roll < 5) {
      // The editor only unpins here. A pin could be refused, because a reporter may be withdrawing the update.
      await runCommand(runner, client, 'pin_update', { idempotency_key, coverage_id, update_id: null });
    } else if (roll < 8) {
      live = !live;
      const state = live ? 'live' : 'paused';
      await runCommand(runner, client, 'set_coverage_state', { idempotency_key, coverage_id, state });
    } else {
      const headline = `urgent ${++urgent}`;
      const args = {
        idempotency_key,
        coverage_id,
        update_id: randomUUID(),
        content: content(headline, { urgency: 'urgent' }),
      };
      const saved = await runCommand<SavedUpdate>(runner, client, 'publish_update', args);
      if (saved) {
        ledger.versions.push({ id: saved.id, version: saved.version, headline });
        ledger.changes.push(saved);
        ledger.numbers.set(saved.id, saved.number);
        await runCommand(runner, client, 'pin_update', {
          idempotency_key: randomUUID(),
          coverage_id,
          update_id: saved.id,
        });
      }
    }
    await wait(PAUSE_MS * 5);
  }
}

/** Gives and removes a role as an owner. Each change writes an entry to the audit log. */
export async function runOwner(
  { runner, isOver }: WriterContext,
  client: SupabaseClient,
  person_id: string,
): Promise<void> {
  const { roles } = runner.ledger;
  for (let turn = 0; !isOver(); turn++) {
    const role = turn % 2 ? 'reader' : 'moderator';
    if (await runCommand(runner, client, 'set_role', { idempotency_key: randomUUID(), person_id, role }))
      roles.set(person_id, (roles.get(person_id) ?? 0) + 1);
    await wait(PAUSE_MS * 10);
  }
}
