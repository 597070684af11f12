import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { serve } from './worker.ts';

/* The simplest fan-out with `ws`: each message of a client goes to all others, in sequence. */

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', backlog: 1024, perMessageDeflate: false });
server.on('connection', (sender) => {
  sender.on('message', (message, binary) => {
    for (const client of server.clients) if (client !== sender) client.send(message, { binary });
  });
});

serve({
  async listen() {
    if (server.address() === null) await new Promise((resolve) => server.once('listening', resolve));
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  },
});
