import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A path that no call has: theirs begin with the function's name. The function's thread answers it by itself. */
const GREETING = 'GET / HTTP/1.1\r\nHost: function\r\n\r\n';

/** Nobody has taken the connection, or nobody any more: nothing of the call was sent, so another may have it. */
export class NobodyThere extends Error {
  override name = 'NobodyThere';
}

/** Why nobody can be reached at a socket: it has no listener, or is not there. */
const GONE = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT'];

/**
 * A connection on which a function's own thread has answered. A connection alone says little: the system takes it in
 * for a process that is just being killed, or that stands still, and whatever was sent is lost with it, or is not.
 * @throws NobodyThere
 */
export async function greet(socket: string): Promise<Socket> {
  const connection = connect(socket);
  // Whoever has it hears of its close; an error that nobody listens to would end the backend.
  connection.on('error', () => {});
  try {
    await once(connection, 'connect');
    connection.write(GREETING);
    await answered(connection);
    return connection;
  } catch (error) {
    connection.destroy();
    if (GONE.includes(String((error as NodeJS.ErrnoException).code))) throw new NobodyThere();
    throw error;
  }
}

/** Reads the head of an answer that has no body. */
function answered(connection: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = '';
    const end = (settle: () => void) => {
      connection.off('data', onData).off('close', onClose).off('error', reject);
      settle();
    };
    const onData = (chunk: Buffer) => {
      head += chunk.toString('latin1');
      if (head.endsWith('\r\n\r\n')) end(resolve);
    };
    const onClose = () => end(() => reject(new NobodyThere()));
    connection.on('data', onData).on('close', onClose).on('error', reject);
  });
}
