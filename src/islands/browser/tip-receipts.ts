import { having } from './kept-tip.ts';

/** The receipt of a tip that went out from this device: nothing of what it says. */
export type KeptReceipt = { receipt: string; at: number };

const RECEIPTS = 'stoppress.receipts';
const MOST = 10;

/** The receipts that this device was given, the newest first. */
export const readReceipts = (): KeptReceipt[] =>
  having((kept) => JSON.parse(kept.getItem(RECEIPTS) ?? '[]')) ?? [];

export function keepReceipt(receipt: string): void {
  const others = readReceipts().filter((one) => one.receipt !== receipt);
  const all = [{ receipt, at: Date.now() }, ...others].slice(0, MOST);
  having((kept) => kept.setItem(RECEIPTS, JSON.stringify(all)));
}

export const forgetReceipts = (): unknown => having((kept) => kept.removeItem(RECEIPTS));
