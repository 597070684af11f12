import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that was free a moment ago, for a program that must know its own address before it listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A socket has a port.');
  return address.port;
}
