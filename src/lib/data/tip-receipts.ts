import type { TipState } from '../domain/tips.ts';
import { readerClient } from './reader-client.server.ts';
import { dataOf } from './result.ts';
import { isReceipt, type TipUse } from './tip-form.ts';

/** Returns a tip by its receipt, or null. */
export async function readReceipt(receipt: string): Promise<Receipt | null> {
  if (!isReceipt(receipt)) return null;
  return (await dataOf(readerClient().rpc('tip_receipt', { receipt }))) as Receipt | null;
}

/** A tip as its sender sees it. */
export type Receipt = {
  state: TipState;
  created_at: string;
  body: string;
  coverage: { slug: string; headline: string } | null;
  /** The published update that uses the tip. */
  used_in: TipUse | null;
};
