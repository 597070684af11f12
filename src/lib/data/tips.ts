import type { OwnTip } from '../domain/tips.ts';
import { type BackendClient, dataOf } from './result.ts';

/** Database function that returns the caller's tips, newest first. */
export const OWN_TIPS = 'my_tips';

/**
 * Returns the caller's tips.
 * @throws Refused
 */
export async function readOwnTips(backend: BackendClient): Promise<OwnTip[]> {
  return (await dataOf(backend.rpc(OWN_TIPS))) as OwnTip[];
}

/** Returns the tips whose state changed, or whose update was published, since the last read. */
export function changedTips(before: OwnTip[], now: OwnTip[]): OwnTip[] {
  return now.filter((tip) => {
    const known = before.find(({ id }) => id === tip.id);
    return known && (known.state !== tip.state || (known.used_in === null && tip.used_in !== null));
  });
}
