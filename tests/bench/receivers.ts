import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { serve } from './worker.ts';

/*
 * A push service and a mail server that accept and count everything. They do as little as possible, because they
 * stand for other machines. Tests check the contents.
 */

export type Received = { pushes: number; mails: number; twice: number };

/** Counts by endpoint and topic, and by receiver. */
const pushes = new Map<string, number>();
const mails = new Map<string, number>();

const count = (all: Map<string, number>, one: string) => void all.set(one, (all.get(one) ?? 0) + 1);

const service = createHttp((request, response) => {
  request.resume();
  request.on('end', () => {
    count(pushes, `${request.url} ${request.headers.topic}`);
    response.writeHead(201).end();
  });
});

/** The part of SMTP that a sender uses. */
const mailServer = createServer((socket: Socket) => {
  let to = '';
  let isData = false;
  let rest = '';
  socket.on('error', () => socket.destroy());
  socket.write('220 here\r\n');
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    for (;;) {
      const end = rest.indexOf(isData ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const line = rest.slice(0, end);
      rest = rest.slice(end + (isData ? 5 : 2));
      if (isData) {
        isData = false;
        count(mails, to);
        socket.write('250 accepted\r\n');
        continue;
      }
      const [, address] = /^RCPT TO:<(.*?)>/i.exec(line) ?? [];
      if (address) to = address;
      isData = /^DATA/i.test(line);
      socket.write(isData ? '354 go on\r\n' : /^QUIT/i.test(line) ? '221 bye\r\n' : '250 ok\r\n');
    }
  });
});

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

serve({
  async listen() {
    service.listen(0, '127.0.0.1');
    mailServer.listen(0, '127.0.0.1');
    await Promise.all([once(service, 'listening'), once(mailServer, 'listening')]);
    return { origin: `http://127.0.0.1:${portOf(service)}`, mailPort: portOf(mailServer) };
  },
  received(): Received {
    const times = [...pushes.values(), ...mails.values()];
    return { pushes: pushes.size, mails: mails.size, twice: times.filter((one) => one > 1).length };
  },
});
