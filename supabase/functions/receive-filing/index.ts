import { type SupabaseContext, withSupabase } from '@supabase/server';
import { isSecret } from '../_shared/crypto.ts';
import { backendSecretKey, websiteUrl } from '../_shared/deno.ts';
import { createRateLimit, requestNetwork } from '../_shared/rate-limit.ts';
import {
  dataOf,
  explainErrors,
  notUnderstood,
  Refused,
  readJsonObject,
  withErrorCodes,
} from '../_shared/refusals.ts';
import { handleSettings, telegramConnection, tokenOf } from './connection.ts';
import { fileMessage } from './filing.ts';
import { sendNotices } from './notices.ts';
import { answerDelivery, readDelivery, SECRET_HEADER } from './telegram.ts';
import { telegramFiles } from './telegram-api.ts';

/**
 * A message of Telegram has at most 4,096 characters, of up to 12 bytes when they are escaped. A delivery has also the
 * message that it replies to, formats, and some data about chat and sender.
 */
const MAX_DELIVERY_BYTES = 256 * 1024;
const MAX_SETTINGS_BYTES = 4 * 1024;

/** Forged deliveries per minute and client network, after which they are no longer counted. */
const limitForged = createRateLimit(20, 60_000);

/** Calls of the settings per minute and person. */
const limitSettings = createRateLimit(20, 60_000);

/**
 * Receives what people file. Channels send their deliveries to `/receive-filing/CHANNEL`. The settings of owners are sent
 * to `/receive-filing`; see `handleSettings`. The website calls the same address with a secret key to send due notices.
 */
async function handle(request: Request, context: SupabaseContext): Promise<Response> {
  if (/\/telegram\/?$/.test(new URL(request.url).pathname)) return receiveTelegram(request, context);
  const sent = await readJsonObject(request, MAX_SETTINGS_BYTES);
  if (context.authMode === 'secret')
    return Response.json(await sendNotices(context.supabaseAdmin, websiteUrl('/')));
  const caller = context.userClaims?.id;
  if (!caller) throw new Refused('signed_out');
  const wait = limitSettings(caller);
  if (wait > 0) throw new Refused('rate_limited', null, { retryAfter: wait });
  return Response.json(await handleSettings(context, sent));
}

/** Takes a delivery of the bot's webhook. Telegram repeats a delivery that is not answered with success. */
async function receiveTelegram(request: Request, { supabaseAdmin }: SupabaseContext): Promise<Response> {
  if (request.method !== 'POST') throw notUnderstood();
  const connection = await telegramConnection(supabaseAdmin);
  if (!(await isSecret(request.headers.get(SECRET_HEADER) ?? '', connection?.delivery_hash))) {
    const wait = limitForged(requestNetwork(request));
    if (wait > 0) throw new Refused('rate_limited', null, { retryAfter: wait });
    await dataOf(supabaseAdmin.rpc('refuse_filing', { channel: 'telegram', reason: 'forged' }));
    throw new Refused('forbidden');
  }
  const message = readDelivery(await readJsonObject(request, MAX_DELIVERY_BYTES));
  if (!message) return Response.json({});
  const files = telegramFiles(() => tokenOf(connection));
  return answerDelivery(
    message,
    await fileMessage(supabaseAdmin, message, {
      accountPage: websiteUrl('/account'),
      files,
      ids: { account: connection?.account ?? '', key: backendSecretKey() },
    }),
  );
}

export default {
  fetch: withErrorCodes(withSupabase({ auth: ['user', 'secret:*', 'none'] }, explainErrors(handle))),
};
