import { dataOf, functionData } from '../data/result.ts';
import { serviceRealtimeClient, subscribeToSite } from '../data/site-channel.ts';
import { SERVER } from '../i18n/cli.ts';
import type { DeliveryClient } from './delivery-scheduler.ts';

/** A call sends up to 20 notices, and stops at the first one that Telegram does not answer in 10 s. In milliseconds. */
const CALL_TIMEOUT_MS = 60_000;

type Backend = { url: string; secretKey: string };

/** Tells chats what the desk did with the updates that were filed there, by a backend, embedded or hosted. */
export function createFilingNoticeClient({ url, secretKey }: Backend): DeliveryClient {
  const client = serviceRealtimeClient(url, secretKey, CALL_TIMEOUT_MS);
  // The generated types do not know that a function can return null.
  const secondsUntilDue = async (): Promise<number | null> => dataOf(client.rpc('filing_notices_due'));
  return {
    secondsUntilDue,
    async deliver() {
      // The function is not started for a newsroom without a bot.
      if ((await secondsUntilDue()) === null) return { claimed: 0, more: false };
      const call = client.functions.invoke('receive-filing', { body: {}, timeout: CALL_TIMEOUT_MS });
      const { claimed, more } = (await functionData(call)) as { claimed: number; more: boolean };
      return { claimed, more };
    },
    subscribe: (onChange) =>
      subscribeToSite(client, 'filing_notices', { joined: onChange, message: onChange }),
    failed: SERVER.noticesFailed,
  };
}
