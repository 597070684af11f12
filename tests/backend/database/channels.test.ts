import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { presencesIn } from '../../../src/lib/domain/desk.ts';
import { type ActorName, contentOf, createSharedCoverage, type TestContext } from '../../support/actors.ts';
import { test } from '../../support/backend-test.ts';
import { runDeskLoad } from '../../support/desk-load.ts';
import { call } from '../../support/newsroom.ts';
import { eventually, join, listenTo, refusalOf, subscribe } from '../embedded/realtime/channels.ts';

/* Joins the product's channels with the unmodified client as every actor. */

let context: TestContext;
test.beforeAll(async ({ context: shared }) => {
  context = shared;
});

const PRIVATE = { private: true };

/** The client of an actor. Its channels are removed when the test ends. */
function clientOf(who: ActorName): SupabaseClient {
  const { client } = context.actors[who];
  onTestFinished(async () => {
    await client.removeAllChannels();
  });
  return client;
}

const publish = (coverage_id: string) =>
  call(context.actors.reporter.client, 'publish_update', {
    coverage_id,
    update_id: randomUUID(),
    content: contentOf('News.'),
  });

const mayNotRead = (topic: string) => ({
  status: 'CHANNEL_ERROR',
  reason: `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`,
});

test('a visitor receives broadcasts of a public coverage, and no messages of other clients', async () => {
  const coverage = await createSharedCoverage(context);
  const topic = `coverage:${coverage}`;
  const listener = await join(clientOf('visitor'), topic, PRIVATE);
  const stranger = await join(clientOf('reader'), topic, {
    private: true,
    broadcast: { ack: true, self: true },
  });
  const change = { type: 'broadcast' as const, event: 'change', payload: { seq: 1_000_000, spread: 0 } };
  expect(await stranger.channel.send(change, { timeout: 300 })).toBe('timed out');
  await expect(stranger.channel.httpSend('change', { seq: 1_000_000 })).rejects.toThrow('Unauthorized');
  await publish(coverage);
  const messages = [expect.objectContaining({ seq: 2, spread: 1000 })];
  await eventually(() => listener.payloads()).toEqual(messages);
  await eventually(() => stranger.payloads()).toEqual(messages);
});

test.each(['visitor', 'reader', 'outsider', 'expired'] as const)(
  '%s cannot tell a draft from what there is not, nor read a desk',
  async (who) => {
    const client = clientOf(who);
    const [draft, live] = [await createSharedCoverage(context, 'draft'), await createSharedCoverage(context)];
    const topics = [
      `coverage:${draft}`,
      `coverage:${randomUUID()}`,
      'coverage:no-uuid',
      `desk:${draft}`,
      `desk:${live}`,
      `desk:${randomUUID()}`,
      'site',
    ];
    for (const topic of topics) expect(await refusalOf(client, topic, PRIVATE)).toEqual(mayNotRead(topic));
  },
);

test("a desk receives its broadcasts and presence, and an owner does not join the server's channel", async () => {
  const coverage = await createSharedCoverage(context);
  const topic = `desk:${coverage}`;
  const [editor, contributor] = [clientOf('editor'), clientOf('contributor')];
  const listener = listenTo(editor, topic, PRIVATE);
  const seen = () => Object.values(listener.channel.presenceState()).flat();
  listener.channel.on('presence', { event: 'sync' }, () => {});
  await subscribe(listener);
  const other = listenTo(contributor, topic, PRIVATE);
  other.channel.on('presence', { event: 'sync' }, () => {});
  await subscribe(other);
  await other.channel.track({ editing: 'new' });
  await eventually(seen).toEqual([expect.objectContaining({ editing: 'new' })]);

  const update_id = randomUUID();
  await call(contributor, 'save_update', { coverage_id: coverage, update_id, content: contentOf('Draft.') });
  await eventually(() => listener.messages).toEqual([
    {
      event: 'update',
      payload: expect.objectContaining({ update: update_id, version: 1 }),
      meta: expect.anything(),
    },
  ]);
  expect(await refusalOf(clientOf('owner'), 'site', PRIVATE)).toEqual(mayNotRead('site'));
});

describe('the presence of a contributor', () => {
  it('is filed under the id in the access token, whatever key and content are sent', async () => {
    const topic = `desk:${await createSharedCoverage(context)}`;
    const { contributor, owner } = context.actors;
    const editor = listenTo(clientOf('editor'), topic, PRIVATE);
    const seen = () => editor.channel.presenceState();
    editor.channel.on('presence', { event: 'sync' }, () => {});
    await subscribe(editor);
    const forged = await join(clientOf('contributor'), topic, {
      private: true,
      presence: { key: owner.id ?? '' },
    });
    expect(await forged.channel.track({ person: owner.id, editing: 'new' })).toBe('ok');
    await eventually(() => Object.keys(seen())).toEqual([contributor.id]);
    // The screen reads the person from the key only.
    expect(presencesIn(seen())).toEqual([{ person: contributor.id, editing: 'new' }]);
  });
});

describe('a channel that is not private', () => {
  it.each(['visitor', 'reader', 'editor', 'owner'] as const)('is refused to %s', async (who) => {
    const refused = {
      status: 'CHANNEL_ERROR',
      reason: 'PrivateOnly: This project only allows private channels',
    };
    for (const topic of [`relay:${randomUUID()}`, 'site']) {
      expect(await refusalOf(clientOf(who), topic)).toEqual(refused);
    }
  });

  it('takes no message over HTTP either', async () => {
    const { url, publishableKey, secretKey } = context.backend;
    const message = { topic: 'relay', event: 'said', payload: { words: 'Hello' } };
    const post = (path: string, apikey: string, body: object) =>
      fetch(`${url}/realtime/v1/api/broadcast${path}`, {
        method: 'POST',
        headers: { apikey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const key of [publishableKey, secretKey]) {
      for (const answer of [
        await post('', key, { messages: [{ ...message, private: true }, message] }),
        await post('/relay/events/said', key, message.payload),
      ]) {
        expect([answer.status, await answer.json()]).toEqual([
          403,
          { message: 'This project only allows private channels' },
        ]);
      }
    }
  });
});

test('a demoted editor is removed at the next token check, and cannot join again', async () => {
  const coverage = await createSharedCoverage(context);
  const topic = `desk:${coverage}`;
  const client = clientOf('editor');
  const listener = await join(client, topic, PRIVATE);
  const person_id = context.actors.editor.id;
  await call(context.service, 'set_role', { person_id, role: 'reader' });
  onTestFinished(() => call(context.service, 'set_role', { person_id, role: 'editor' }).then(() => {}));
  await client.auth.refreshSession();
  await eventually(() => listener.statuses.at(-1)?.status).toBe('CLOSED');
  expect(await refusalOf(client, topic, PRIVATE)).toEqual(mayNotRead(topic));
  // Readers' channels stay open.
  await join(client, `coverage:${coverage}`, PRIVATE);
});

test('the server receives invalidations', async () => {
  const coverage = await createSharedCoverage(context);
  onTestFinished(async () => {
    await context.service.removeAllChannels();
  });
  const listener = await join(context.service, 'site', PRIVATE);
  await publish(coverage);
  // The message about the beginning of the coverage may arrive after the join.
  const later = () => (listener.payloads() as { seq: number }[]).filter(({ seq }) => seq !== 1);
  await eventually(later).toEqual([
    expect.objectContaining({ coverage, seq: 2, slug: `case-${coverage}`, removed: false }),
  ]);
});

test('lists of people who work at one desk contain each update once and in the same order', async () => {
  const coverage = { id: await createSharedCoverage(context) };
  const roles = { editor: 'editor', owner: 'owner', reporter: 'reporter', colleague: 'reporter' } as const;
  const people = (['editor', 'owner', 'reporter', 'colleague'] as const).map((who) => {
    const { id, client } = context.actors[who];
    return { id: id ?? '', client, role: roles[who] };
  });
  const {
    errors: wrong,
    delays: late,
    commandCounts: acts,
  } = await runDeskLoad({
    service: context.service,
    coverage,
    people,
    durationMs: 2_000,
    pauseMs: 50,
  });
  expect(wrong).toEqual([]);
  expect(late.length).toBeGreaterThan(0);
  expect(acts.publish_update).toBeGreaterThanOrEqual(late.length);
});
