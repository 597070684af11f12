import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP, connect as openSocket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as openTls } from 'node:tls';
import type { NetworkAccess } from '../../../../supabase/functions/_shared/network.ts';

/** Network access of commands, which run in Node. */
export const nodeNetwork: NetworkAccess = {
  async resolve(name) {
    const answers = await lookup(name, { all: true, order: 'ipv4first' });
    return answers.map(({ address }) => address);
  },

  async connect(address, { host, port, isSecure }, signal) {
    signal.throwIfAborted();
    const to = { host: address, port };
    // The certificate must be that of the host, whatever address it has. TLS allows no address as a server name.
    const socket = isSecure
      ? openTls({ ...to, ...(isIP(host) === 0 && { servername: host }) })
      : openSocket(to);
    signal.addEventListener('abort', () => void socket.destroy());
    // Errors after the connection reach the reader of the stream.
    socket.on('error', () => {});
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal });
    const { readable, writable } = Duplex.toWeb(socket);
    return {
      readable: readable as ReadableStream<Uint8Array>,
      writable,
      close: () => void socket.destroy(),
    };
  },
};
