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
import { CHANNELS } from './channels.ts';
import { type RawSocket, rawSocket } from './raw-socket.ts';

/** Opens Realtime in the test's process, with other intervals or another database. */
export async function realtimeAlone() {
  const data = await newDataFolder(CHANNELS);
  const settings = readSettings(dataEnvironment(data));
  const engine = await openEngine(settings, () => {});
  const keys = await readKeys(settings);
  const tokens = await openTokens(keys.signing);

  /** Opens a server on its own port until the test ends. */
  async function openServer(times: Parameters<typeof openRealtime>[1] = {}, database = engine) {
    const realtime = await openRealtime({ engine: database, keys, tokens, publicChannels: true }, times);
    const server = createServer().listen(0, '127.0.0.1');
    server.on('upgrade', realtime.upgrade);
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const target = { url, publishableKey: keys.publishable };
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
    return { realtime, stop, open: (from?: string) => rawSocket(target, { from }) };
  }

  /** Creates a person with a session and permissions on a channel. */
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

/** Joins a private channel with a token, or as a visitor. */
export const joinAs = (raw: RawSocket, topic: string, token?: string, more: object = {}) =>
  raw.ask(`realtime:${topic}`, 'phx_join', { config: { private: true, ...more }, access_token: token });

/** Sends a token for a joined channel, and waits until it was checked. */
export async function showToken(raw: RawSocket, topic: string, token: string) {
  raw.say(JSON.stringify([null, null, `realtime:${topic}`, 'access_token', { access_token: token }]));
  await raw.ask('phoenix', 'heartbeat');
}

/** Wraps an engine, so that a test can count, delay and fail its permission queries. */
export function watched(engine: Engine) {
  const watch = {
    /** Number of queries. */
    asked: 0,
    /** Called before each query. */
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
