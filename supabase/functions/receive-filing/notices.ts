import type { SupabaseContext } from '@supabase/server';
import { dataOf, Refused } from '../_shared/refusals.ts';
import { telegramConnection, tokenOf } from './connection.ts';
import { type Notice, noticeSentence } from './notice-sentences.ts';
import { callTelegram, NoAnswer } from './telegram-api.ts';

/* Tells chats what the desk did with the updates that were filed there. */

type ClaimedNotice = Notice & { id: number; sender: string; reference: string | null };

/** What became of a notice, as `record_filing_notices` stores it. */
type NoticeResult = {
  id: number;
  outcome: 'sent' | 'again' | 'later' | 'closed' | 'failed';
  retry_after?: number | undefined;
};

/** Seconds until notices are tried again that were not sent because another one failed. */
const PAUSE_SECONDS = 30;

/**
 * Sends due notices to their chats, one after the other. The website calls again while there are more.
 * @param site URL of the website
 */
export async function sendNotices(
  admin: SupabaseContext['supabaseAdmin'],
  site: string,
): Promise<{ claimed: number; more: boolean }> {
  const connection = await telegramConnection(admin);
  if (!connection) return { claimed: 0, more: false };
  const token = await tokenOf(connection);
  let pause = await readPause(token);
  const { notices, more }: { notices: ClaimedNotice[]; more: boolean } = await dataOf(
    admin.rpc('claim_filing_notices', { channel: 'telegram' }),
  );
  const results: NoticeResult[] = [];
  for (const notice of notices) {
    if (pause !== undefined) {
      results.push({ id: notice.id, outcome: 'later', retry_after: pause });
      continue;
    }
    const result = await sendNotice(token, notice, site);
    results.push(result);
    if (result.outcome === 'again') pause = result.retry_after ?? PAUSE_SECONDS;
    // Telegram may not answer the others either, and a lost answer is a lost notice.
    if (result.outcome === 'failed') pause = result.retry_after;
  }
  if (results.length > 0) await dataOf(admin.rpc('record_filing_notices', { results }));
  return { claimed: notices.length, more: more && pause === undefined };
}

/**
 * Returns the seconds that all notices wait because Telegram does not take calls; undefined if it does. A message whose
 * answer is lost is not sent again, so a call that may be repeated comes first.
 */
async function readPause(token: string): Promise<number | undefined> {
  try {
    await callTelegram(token, 'getMe', {});
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.options.retryAfter ?? PAUSE_SECONDS;
  }
}

/** Sends a notice as a reply to the message. Its text has no format, because people wrote parts of it. */
async function sendNotice(token: string, notice: ClaimedNotice, site: string): Promise<NoticeResult> {
  const { id, sender, reference } = notice;
  try {
    await callTelegram(token, 'sendMessage', {
      chat_id: Number(sender),
      text: noticeSentence(notice, site),
      ...(reference !== null && {
        reply_parameters: { message_id: Number(reference), allow_sending_without_reply: true },
      }),
      link_preview_options: { is_disabled: true },
    });
    return { id, outcome: 'sent' };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { id, ...outcomeOf(error) };
  }
}

function outcomeOf(error: Refused): Omit<NoticeResult, 'id'> {
  // The chat may have the message already.
  if (error instanceof NoAnswer) return { outcome: 'failed', retry_after: PAUSE_SECONDS };
  if (error.code === 'rate_limited') return { outcome: 'again', retry_after: error.options.retryAfter };
  if (error.reason === 'telegram_chat_closed') return { outcome: 'closed' };
  return { outcome: error.reason === 'telegram_refused' ? 'failed' : 'again' };
}
