import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Engine } from '../../../../packages/embedded-supabase/src/engine/engine.ts';
import { openEngine } from '../../../../packages/embedded-supabase/src/engine/open.ts';
import { readKeys } from '../../../../packages/embedded-supabase/src/keys.ts';
import { openRealtime } from '../../../../packages/embedded-supabase/src/realtime/realtime.ts';
import { readSettings } from '../../../../packages/embedded-supabase/src/settings.ts';
import { openTokens } from '../../../../packages/embedded-supabase/src/tokens.ts';
import { dataEnvironment, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { CHANNELS } from './house.ts';
import { type RawSocket, rawSocket } from './raw-socket.ts';

/** Realtime without the rest of the backend, in the test's own process: its times and its database can be others. */
export async function realtimeAlone() {
  const data = await newDataFolder(CHANNELS);
  const settings = readSettings(dataEnvironment(data));
  const engine = await openEngine(settings, () => {});
  const keys = await readKeys(settings);
  const tokens = await openTokens(keys.signing);

  /** On a port of its own, until the test is over. */
  async function openServer(times: Parameters<typeof openRealtime>[1] = {}, database = engine) {
    const realtime = await openRealtime({ engine: database, keys, tokens, publicChannels: true }, times);
    const server = createServer().listen(0, '127.0.0.1');
    server.on('upgrade', realtime.upgrade);
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const door = { url, publishableKey: keys.publishable };
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= (async () => {
        const closed = once(server, 'close');
        server.close();
        await realtime.close();
        await closed;
      })();
      return stopped;
    };
    onTestFinished(stop);
    return { realtime, stop, open: (from?: string) => rawSocket(door, { from }) };
  }

  /** Somebody with a session, who may do this on a topic. */
  async function newGuest(topic: string, may = 'hear') {
    const [id, session] = [randomUUID(), randomUUID()];
    await engine.exec(`
      insert into auth.users (id) values ('${id}');
      insert into auth.sessions (id, user_id) values ('${session}', '${id}');
      insert into public.guests values ('${topic}', '${id}', '{${may}}');`);
    const exp = Math.floor(Date.now() / 1000) + 3600;
    const token = await tokens.sign({ role: 'authenticated', sub: id, session_id: session, exp });
    return { id, session, token };
  }

  return {
    engine,
    key: keys.publishable,
    openServer,
    newGuest,
    async close() {
      await engine.close();
      await removeData(data);
    },
  };
}

/** Joins a private topic as somebody, or as everybody. */
export const joinAs = (raw: RawSocket, topic: string, token?: string, more: object = {}) =>
  raw.ask(`realtime:${topic}`, 'phx_join', { config: { private: true, ...more }, access_token: token });

/** Shows a token on a topic that was joined, and waits until it has been looked at. */
export async function showToken(raw: RawSocket, topic: string, token: string) {
  raw.say(JSON.stringify([null, null, `realtime:${topic}`, 'access_token', { access_token: token }]));
  await raw.ask('phoenix', 'heartbeat');
}

/** The engine, whose questions about rights a test can hold up or have fail. */
export function watched(engine: Engine) {
  const watch = {
    /** How many questions were asked. */
    asked: 0,
    /** What the next ones meet before they are asked. */
    meet: async () => {},
    engine: undefined as unknown as Engine,
  };
  const db: Engine['db'] = new Proxy(engine.db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'startTransaction') return typeof value === 'function' ? value.bind(target) : value;
      return () => ({
        async execute() {
          watch.asked += 1;
          await watch.meet();
          return target.startTransaction().execute();
        },
      });
    },
  });
  watch.engine = { ...engine, db };
  return watch;
}
