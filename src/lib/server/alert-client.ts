import { dataOf, functionData } from '../data/result.ts';
import { serviceRealtimeClient, subscribeToSite } from '../data/site-channel.ts';
import { SERVER } from '../i18n/cli.ts';
import type { DeliveryClient } from './delivery-scheduler.ts';

/** A call claims alerts for at most 15 s, and sending those takes at most 40 s. In milliseconds. */
const CALL_TIMEOUT_MS = 60_000;

/** Sends alerts by a backend, embedded or hosted. */
export function createAlertClient({ url, secretKey }: { url: string; secretKey: string }): DeliveryClient {
  const client = serviceRealtimeClient(url, secretKey, CALL_TIMEOUT_MS);
  return {
    // The generated types do not know that a function can return null.
    secondsUntilDue: async (): Promise<number | null> => dataOf(client.rpc('alerts_due')),
    async deliver() {
      const call = client.functions.invoke('deliver-alerts', { body: {}, timeout: CALL_TIMEOUT_MS });
      const { claimed, more } = (await functionData(call)) as { claimed: number; more: boolean };
      return { claimed, more };
    },
    subscribe: (onChange) => subscribeToSite(client, 'alerts', { joined: onChange, message: onChange }),
    failed: SERVER.alertsFailed,
  };
}
