import type { Net } from './unfurl.ts';

/** The net by Deno's own means, which a hosted project has too. */
export const net: Net = {
  async resolve(name, signal) {
    const answers = await Promise.allSettled([
      Deno.resolveDns(name, 'A', { signal }),
      Deno.resolveDns(name, 'AAAA', { signal }),
    ]);
    // The older kind first: a machine without the newer one has its names all the same.
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  },

  async connect(address, { host, port, isSecure }, signal) {
    signal.throwIfAborted();
    const plain = await Deno.connect({ hostname: address, port });
    // Closing twice throws, and the other side may have been faster.
    const closeAt = (conn: Deno.Conn) => () => {
      try {
        conn.close();
      } catch {}
    };
    signal.addEventListener('abort', closeAt(plain));
    if (signal.aborted) closeAt(plain)();
    if (!isSecure) return { readable: plain.readable, writable: plain.writable, close: closeAt(plain) };
    const secure = await Deno.startTls(plain, { hostname: host, alpnProtocols: ['http/1.1'] });
    return { readable: secure.readable, writable: secure.writable, close: closeAt(secure) };
  },
};
