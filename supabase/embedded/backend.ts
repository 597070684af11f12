import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { makeDatabase } from './engine.ts';
import { recordEngine } from './engine-record.ts';
import { openGateway } from './gateway.ts';
import { type Keys, readKeys } from './keys.ts';
import { openLite } from './lite.ts';
import { takeFolder } from './lock.ts';
import { migrate } from './migrations.ts';
import { writePrivate } from './private-file.ts';
import type { Settings } from './settings.ts';
import { StartError } from './start-error.ts';
import { openTokens } from './tokens.ts';

/** How long requests under way at the end may take; PGlite answers in milliseconds. */
const LAST_REQUESTS_MS = 5_000;

/** As long as the site keeps its own connections: a shorter one ends under a request that is just being sent. */
const KEEP_ALIVE_MS = 75_000;

export type Backend = {
  /** On 127.0.0.1. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Finishes what is under way, writes everything to the disk and gives the folder back. */
  stop(): Promise<void>;
};

/**
 * Starts the backend on a data folder, which is made when it is missing.
 * @throws StartError when the folder is in use, a migration fails, the data is newer or the port is taken
 */
export async function startBackend(settings: Settings): Promise<Backend> {
  await mkdir(settings.data, { recursive: true, mode: 0o700 });
  const giveBack = takeFolder(settings.data);
  // Also when the folder was there before, with another mode.
  await chmod(settings.data, 0o700);
  const keys = await readKeys(settings);
  const lite = await openData(settings, keys);
  const tokens = await openTokens(keys.signing);

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const url = await listen(server, settings.port);
  const gateway = openGateway({ lite, keys, tokens, siteUrl: settings.siteUrl ?? url });
  server.on('request', getRequestListener(gateway.fetch));

  const announcement = join(settings.data, 'backend.json');
  const running = { url, publishableKey: keys.publishable, secretKey: keys.secret };
  await writePrivate(announcement, { pid: process.pid, ...running });

  return {
    ...running,
    async stop() {
      await finish(server);
      await lite.pg.exec('checkpoint');
      await lite.close();
      await rm(announcement, { force: true });
      giveBack();
    },
  };
}

async function openData(settings: Settings, keys: Keys) {
  const folder = join(settings.data, 'db');
  await recordEngine(settings.data);
  await makeDatabase(folder);
  const lite = await openLite({
    folder,
    internalSecret: keys.internal,
    siteUrl: settings.siteUrl ?? 'http://127.0.0.1',
  });
  await migrate(lite.pg, settings.migrations);
  await lite.learnSchema();
  return lite;
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartError(`Port ${port} is in use: set STOPPRESS_BACKEND_PORT to another one.`);
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Takes no more requests and waits for those under way, but not for a client that never ends. */
async function finish(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const enough = setTimeout(() => server.closeAllConnections(), LAST_REQUESTS_MS);
  await closed;
  clearTimeout(enough);
}
