import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';

/** The bytes of an answer as they come out of the socket, head and body, asked for as a browser does. */
export async function bytesOf(
  url: string,
  headers: Record<string, string> = {},
  status = 200,
): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  try {
    const request = get(url, {
      agent,
      headers: { 'accept-encoding': 'gzip, deflate, br, zstd', ...headers },
    });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    if (answer.statusCode !== status) throw new Error(`${url}: ${answer.statusCode}`);
    const { socket } = answer;
    await once(answer.resume(), 'end');
    return socket.bytesRead;
  } finally {
    agent.destroy();
  }
}
