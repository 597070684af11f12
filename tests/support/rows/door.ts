import { createClient } from '@supabase/supabase-js';
import type { Claims } from '../../../packages/embedded-supabase/src/gateway/claims.ts';
import type { Lite } from '../../../packages/embedded-supabase/src/rest/lite.ts';
import type { DatabaseClient } from '../../../src/lib/data/desk.ts';
import type { Database } from '../../../src/lib/domain/database.types.ts';

/** Where the site finds the database of these tests: no address of the net. */
const HERE = 'http://rows.invalid';

/** A client whose calls are answered here, as this caller. */
export function clientOf(lite: Lite, claims: Claims): DatabaseClient {
  return createClient<Database>(HERE, 'a-key', {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: (...request) => lite.rest(new Request(...request), claims, 'server') },
  });
}

/** Answers the site's own reader, who is nobody in particular, from here too. @returns what ends that */
export function answerReader(lite: Lite): () => void {
  process.env.PUBLIC_SUPABASE_URL = HERE;
  process.env.PUBLIC_SUPABASE_PUBLISHABLE_KEY = 'a-key';
  const outside = globalThis.fetch;
  globalThis.fetch = (...request) => {
    const asked = new Request(...request);
    return asked.url.startsWith(HERE) ? lite.rest(asked, { role: 'anon' }, 'server') : outside(asked);
  };
  return () => {
    globalThis.fetch = outside;
  };
}
