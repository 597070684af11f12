import type { SupabaseContext } from '@supabase/server';
import { base64Url, decryptSecret, encryptSecret, type SecretUse, sha256Hex } from '../_shared/crypto.ts';
import { backendSecretKey } from '../_shared/deno.ts';
import { dataOf, notUnderstood, Refused, textField } from '../_shared/refusals.ts';
import { callTelegram, TOKEN_FORM } from './telegram-api.ts';

/* The connection to a channel, which owners make, test and end. */

/** What the database stores of a connection. */
type FilingConnection = { account: string; token: string; delivery_hash: string };

/** The use of a bot's token, which is bound to the name of the bot. */
const tokenUse = (account: string): SecretUse => ({ purpose: 'filing token', owner: account });

/**
 * Handles the settings of an owner: `{ act: 'connect', token, url }` with the public URL of this function, answered with
 * `{ account }`; `{ act: 'test', text }`, which sends the text to the owner's own chat; `{ act: 'disconnect' }`.
 * @throws Refused
 */
export async function handleSettings(
  context: SupabaseContext,
  sent: Record<string, unknown>,
): Promise<object> {
  if (sent.act === 'connect')
    return connect(context, textField(sent, 'token').trim(), textField(sent, 'url'));
  if (sent.act === 'test') return test(context, textField(sent, 'text'));
  if (sent.act === 'disconnect') return disconnect(context);
  throw notUnderstood('act');
}

/** Deliveries come one after the other, so that updates have the order of the messages. */
const WEBHOOK = { allowed_updates: ['message', 'edited_message'], max_connections: 1 };

/** Connects a bot: learns its name, stores its token encrypted, and has its messages delivered to this function. */
async function connect({ supabase }: SupabaseContext, token: string, url: string): Promise<object> {
  // Only owners may make requests to Telegram.
  await dataOf(supabase.rpc('read_filing'));
  if (!TOKEN_FORM.test(token)) throw new Refused('invalid', 'filing_token_form', { field: 'token' });
  if (URL.parse(url)?.protocol !== 'https:') throw new Refused('bad_state', 'filing_needs_https');
  const bot = (await callTelegram(token, 'getMe', {})) as { username?: unknown };
  const account = `@${String(bot.username)}`;
  const secret = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  await dataOf(
    supabase.rpc('connect_filing_channel', {
      idempotency_key: crypto.randomUUID(),
      channel: 'telegram',
      account,
      token: await encryptSecret(token, tokenUse(account), backendSecretKey()),
      delivery_hash: await sha256Hex(secret),
    }),
  );
  // The secret is stored first: Telegram delivers as soon as it knows the address.
  await callTelegram(token, 'setWebhook', { ...WEBHOOK, url: `${url}/telegram`, secret_token: secret });
  return { account };
}

/** Sends a text to the chats of the owner who asks. */
async function test({ supabase, supabaseAdmin, userClaims }: SupabaseContext, text: string): Promise<object> {
  await dataOf(supabase.rpc('read_filing'));
  const token = await tokenOf(await telegramConnection(supabaseAdmin));
  const chats: string[] = await dataOf(
    supabaseAdmin.rpc('filing_senders_of', { channel: 'telegram', person_id: userClaims?.id }),
  );
  if (chats.length === 0) throw new Refused('bad_state', 'filing_chat_missing');
  for (const chat_id of chats)
    await callTelegram(token, 'sendMessage', { chat_id, text: text.slice(0, 200) });
  return {};
}

/** Ends the deliveries and forgets the token, also if Telegram does not answer. */
async function disconnect({ supabase, supabaseAdmin }: SupabaseContext): Promise<object> {
  await dataOf(supabase.rpc('read_filing'));
  try {
    await callTelegram(await tokenOf(await telegramConnection(supabaseAdmin)), 'deleteWebhook', {});
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  const idempotency_key = crypto.randomUUID();
  await dataOf(supabase.rpc('remove_filing_channel', { idempotency_key, channel: 'telegram' }));
  return {};
}

/** Returns the connection to Telegram, or null. */
export const telegramConnection = (
  admin: SupabaseContext['supabaseAdmin'],
): Promise<FilingConnection | null> => dataOf(admin.rpc('filing_connection', { channel: 'telegram' }));

/** Returns the token of the bot. @throws Refused if there is none, or it cannot be read */
export async function tokenOf(connection: FilingConnection | null): Promise<string> {
  if (!connection) throw new Refused('bad_state', 'filing_not_connected');
  const token = await decryptSecret(connection.token, tokenUse(connection.account), backendSecretKey());
  if (token === undefined) throw new Refused('bad_state', 'filing_token_lost');
  return token;
}
