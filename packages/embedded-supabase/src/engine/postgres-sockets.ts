import { connect, type Socket } from 'node:net';
import type postgres from 'postgres';

/** The addresses of a server, as the driver passes them to its option `socket`. A URL may name several hosts. */
type Addresses = { host: string[]; port: number[]; path: string | false };

/** The open sockets to a server. */
export type ServerSockets = {
  /** Options with which the driver opens its sockets here. */
  driverOptions: postgres.Options<Record<string, never>>;
  /** Closes all sockets. The driver then rejects what waits for an answer, and connects again when needed. */
  closeAll(): void;
};

/**
 * Collects the sockets of all connections to one server, so that they can be closed when its machine vanishes. TCP
 * would send again for up to 15 minutes, and the driver cannot close a connection that waits for an answer.
 */
export function collectSockets(): ServerSockets {
  const sockets = new Set<Socket>();
  let attempts = 0;
  function openSocket({ host, port, path }: Addresses): Socket {
    const index = attempts++ % host.length;
    const socket = path ? connect(path) : connect(port[index] as number, host[index]);
    // The driver removes the listeners of a socket, so there is none for its close.
    for (const other of sockets) if (other.destroyed) sockets.delete(other);
    sockets.add(socket);
    // The driver verifies the certificate for this name.
    return Object.assign(socket, { host: host[index] });
  }
  return {
    // The driver's types do not have this option.
    driverOptions: { socket: openSocket } as ServerSockets['driverOptions'],
    closeAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
