import type { NetworkAccess } from './network.ts';

/** Network access through Deno's API, which hosted projects have too. */
export const denoNetwork: NetworkAccess = {
  async resolve(name, signal) {
    const answers = await Promise.allSettled([
      Deno.resolveDns(name, 'A', { signal }),
      Deno.resolveDns(name, 'AAAA', { signal }),
    ]);
    // IPv4 first, because machines without IPv6 still resolve AAAA records.
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  },

  async connect(address, { host, port, isSecure }, signal) {
    signal.throwIfAborted();
    const plain = await Deno.connect({ hostname: address, port });
    // Closing a closed connection throws.
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

/** Returns the secret key of the backend, from which the keys of stored secrets are derived. */
export function backendSecretKey(): string {
  const [key] = Object.values(JSON.parse(Deno.env.get('SUPABASE_SECRET_KEYS') ?? '{}'));
  if (typeof key !== 'string') throw new Error('SUPABASE_SECRET_KEYS is not set.');
  return key;
}

/** Returns the URL of a path of the website, for links. No request can change its host. */
export function websiteUrl(path: string): string {
  const site = Deno.env.get('SITE_URL');
  if (!site) throw new Error('SITE_URL is not set among the secrets of the functions.');
  return new URL(path, site).href;
}
