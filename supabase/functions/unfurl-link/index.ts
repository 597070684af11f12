import { type SupabaseContext, withSupabase } from '@supabase/server';
import { createRateLimit } from '../_shared/rate-limit.ts';
import { dataOf, explainErrors, Refused, readJsonObject, withErrorCodes } from '../_shared/refusals.ts';
import { readLink } from './address.ts';
import { readPost } from './posts.ts';
import { type NetworkAccess, unfurl } from './unfurl.ts';

const MAX_BODY_BYTES = 16 * 1024;

/** Calls per minute and person. */
const limitCalls = createRateLimit(30, 60_000);

/**
 * Reads a page for people with a desk. `{ url }` is answered with its metadata, `{ url, title, description?, site?
 * }`, which is a link block without its type. `{ url, isPost: true }` is answered with the post at the address, as a
 * post block without type and times of the newsroom.
 */
async function handle(request: Request, { supabase, userClaims }: SupabaseContext): Promise<Response> {
  const { url, isPost } = await readJsonObject(request, MAX_BODY_BYTES);
  await requireDesk(supabase);
  const link = readLink(url);
  const wait = limitCalls(userClaims?.id ?? '');
  if (wait > 0) throw new Refused('rate_limited', 'too_many_links', { retryAfter: wait });
  if (isPost === true) return Response.json(await readPost(link, denoNetwork));
  return Response.json({ url: link, ...(await unfurl(link, denoNetwork)) });
}

/** Network access through Deno's API, which hosted projects have too. */
const denoNetwork: NetworkAccess = {
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

/** Checks the current permissions in the database, because they may have changed since the token was issued. */
async function requireDesk(supabase: SupabaseContext['supabase']): Promise<void> {
  const me: { role?: string } | null = await dataOf(supabase.rpc('get_me'));
  if (!me?.role || me.role === 'reader') throw new Refused('forbidden', 'account_cannot_write');
}

export default { fetch: withErrorCodes(withSupabase({ auth: 'user' }, explainErrors(handle))) };
