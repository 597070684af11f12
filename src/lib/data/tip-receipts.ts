import type { TipState } from '../domain/tips.ts';
import { reader } from './reader-client.server.ts';
import { dataOf } from './result.ts';
import { isReceipt, type Used } from './tip-form.ts';

/** What a receipt stands for, or null. */
export async function readReceipt(receipt: string): Promise<Receipt | null> {
  if (!isReceipt(receipt)) return null;
  return (await dataOf(reader().rpc('tip_receipt', { receipt }))) as Receipt | null;
}

/** What became of a tip, as its sender may know it. */
export type Receipt = {
  state: TipState;
  created_at: string;
  coverage: { slug: string; headline: string } | null;
  /** The update that came of it, once that is published. */
  used: Used | null;
};
