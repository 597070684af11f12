import { randomUUID } from 'node:crypto';
import { REALTIME_SUBSCRIBE_STATES, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { call, paragraph } from '../../support/newsroom.ts';
import { type Project, SOON } from './project.ts';

type Config = NonNullable<Parameters<SupabaseClient['channel']>[1]>['config'];

/** Realtime: broadcast, presence and private channels. */
export function realtime(project: () => Project): void {
  describe('realtime', () => {
    const opened: SupabaseClient[] = [];
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((client) => client.removeAllChannels()));
    });

    /** Joins a channel and collects its messages. @returns the status and the messages */
    async function join(client: SupabaseClient, topic: string, config: Config = {}) {
      opened.push(client);
      const channel = client.channel(topic, { config });
      const messages: { event: string; payload: Record<string, unknown> }[] = [];
      channel.on('broadcast', { event: '*' }, ({ event, payload }) => messages.push({ event, payload }));
      return { channel, messages, status: await subscribed(channel) };
    }
    const subscribed = (channel: RealtimeChannel) =>
      new Promise<string>((resolve) => channel.subscribe((status) => resolve(status)));
    const { SUBSCRIBED, CHANNEL_ERROR } = REALTIME_SUBSCRIBE_STATES;

    test('delivers messages of a public channel to others, and to the sender on request', async () => {
      const topic = `conformance:${randomUUID()}`;
      const speaker = await join(project().anon(), topic, { broadcast: { self: true, ack: true } });
      const listener = await join(project().reader.client, topic);
      // docs/hosted.md tells owners to turn "Allow public access" off.
      if (process.env.CONFORMANCE_URL && speaker.status === CHANNEL_ERROR) return;
      expect([speaker.status, listener.status]).toEqual([SUBSCRIBED, SUBSCRIBED]);
      const said = { event: 'said', payload: { words: 'Grüße 🌊', list: [1, { a: null }] } };
      expect(await speaker.channel.send({ type: 'broadcast', ...said })).toBe('ok');
      await vi.waitFor(() => expect(listener.messages).toMatchObject([said]), SOON);
      expect(speaker.messages).toMatchObject([said]);
      const without = await join(project().anon(), `${topic}:other`);
      await without.channel.httpSend('said', { n: 1 });
      await project().anon().channel(topic).httpSend('posted', { n: 2 });
      await vi.waitFor(
        () => expect(listener.messages.at(-1)).toMatchObject({ event: 'posted', payload: { n: 2 } }),
        SOON,
      );
      expect(await listener.channel.unsubscribe()).toBe('ok');
    });

    test('opens a private channel only to clients that a policy allows', async () => {
      const topic = `desk:${project().draft.id}`;
      for (const client of [project().anon(), project().reader.client]) {
        await client.realtime.setAuth();
        expect((await join(client, topic, { private: true })).status).toBe(CHANNEL_ERROR);
      }
      expect((await join(project().editor.client, 'site', { private: true })).status).toBe(CHANNEL_ERROR);
      expect((await join(project().editor.client, topic, { private: true })).status).toBe(SUBSCRIBED);
    });

    test('delivers broadcasts of the database, and no forged ones of clients', async () => {
      const topic = `desk:${project().draft.id}`;
      const [editor, reporter] = await Promise.all(
        [project().editor, project().reporter].map(({ client }) => join(client, topic, { private: true })),
      );
      await reporter?.channel.send({ type: 'broadcast', event: 'update', payload: { update: 'forged' } });
      const update_id = randomUUID();
      const content = { body: [paragraph('Broadcast to the desk.')] };
      await call(project().reporter.client, 'save_update', {
        coverage_id: project().draft.id,
        update_id,
        content,
      });
      await vi.waitFor(
        () =>
          expect(editor?.messages).toMatchObject([
            { event: 'update', payload: { update: update_id, version: 1 } },
          ]),
        SOON,
      );
    });

    test('shows presence in a channel until the client leaves', async () => {
      const topic = `desk:${project().draft.id}`;
      const { id: editorId } = project().editor;
      const { id: reporterId } = project().reporter;
      const key = (key: string) => ({ private: true, presence: { key, enabled: true } });
      const editor = await join(project().editor.client, topic, key(editorId));
      const reporter = await join(project().reporter.client, topic, key(reporterId));
      expect(await editor.channel.track({ at: 'desk' })).toBe('ok');
      expect(await reporter.channel.track({ at: 'harbour' })).toBe('ok');
      await vi.waitFor(() => {
        expect(editor.channel.presenceState()).toMatchObject({
          [editorId]: [{ at: 'desk' }],
          [reporterId]: [{ at: 'harbour' }],
        });
      }, SOON);
      await reporter.channel.untrack();
      await vi.waitFor(() => expect(Object.keys(editor.channel.presenceState())).toEqual([editorId]), SOON);
    });
  });
}
