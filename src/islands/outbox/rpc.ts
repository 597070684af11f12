import { PostgrestClient } from '@supabase/postgrest-js';
import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { fetchWithTimeout } from '../../lib/data/fetch-timeout.ts';
import { dataOf } from '../../lib/data/result.ts';
import { Refused, refusal } from '../../lib/i18n/refusals.ts';
import type { AccessTokens } from './access-tokens.ts';
import { SendError } from './retry.ts';

/**
 * Makes a call under the session of the outbox's person.
 * @throws Refused
 */
export type Send = (action: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

/**
 * Makes the RPC calls of an outbox, in a page or a worker, without the full Supabase client.
 * @param tokens tokens of the outbox's person
 */
export function commandSender({ publicUrl, publishableKey }: BrowserBackend, tokens: AccessTokens): Send {
  const url = new URL(publicUrl, location.origin).href.replace(/\/$/, '');
  const client = new PostgrestClient(`${url}/rest/v1`, {
    headers: { apikey: publishableKey },
    fetch: fetchWithTimeout,
  });

  async function call(action: string, args: object): Promise<unknown> {
    const token = await ownToken(tokens);
    return dataOf(client.rpc(action, args).setHeader('Authorization', `Bearer ${token}`));
  }

  return async (action, args) => {
    try {
      return await call(action, args);
    } catch (error) {
      if (error instanceof SendError || !isSignedOut(error)) throw error;
      // The token may have expired before the session.
      tokens.forget();
      return call(action, args);
    }
  };
}

/** A session of another person counts as signed out. */
async function ownToken(tokens: AccessTokens): Promise<string> {
  try {
    return await tokens.get();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new SendError(error.refusal.code === 'forbidden' ? refusal('signed_out') : error.refusal);
  }
}

const isSignedOut = (error: unknown) => error instanceof Refused && error.refusal.code === 'signed_out';
