import type { NO_TIP, TipText } from '../../lib/data/tip-form.ts';

const DRAFTS = 'stoppress.tip.';
/** A day: whoever comes to this device later is somebody else. */
export const LONGEST_KEPT_MS = 24 * 3_600_000;

type Draft = { text: TipText; begunAt: number; at: number };

/**
 * Keeps the words of a tip on this device at every key, until it is pressed or a day old: neither a closed tab nor a
 * battery takes them along.
 * @param coverage its slug; '' for none
 */
export function keptTip(coverage: string) {
  const place = DRAFTS + coverage;
  /** The first key, in milliseconds; 0 where nobody has seen it. */
  let begunAt = 0;
  return {
    keep(text: TipText): void {
      begunAt ||= Date.now();
      having((kept) =>
        kept.setItem(place, JSON.stringify({ text, begunAt, at: Date.now() } satisfies Draft)),
      );
    },
    /** Puts what was kept into a form, where nothing stands yet. @returns whether there was something */
    bringBack(form: HTMLFormElement): boolean {
      const draft = having((kept) => {
        for (const key of Object.keys(kept)) {
          const isOld = Date.now() - (read(kept, key)?.at ?? 0) > LONGEST_KEPT_MS;
          if (key.startsWith(DRAFTS) && isOld) kept.removeItem(key);
        }
        return read(kept, place);
      });
      if (!draft) return false;
      begunAt = draft.begunAt;
      fill(form, draft.text);
      return true;
    },
    /** Milliseconds from the first key until now, where that was seen. */
    took(): number | undefined {
      const ms = Date.now() - begunAt;
      return begunAt && ms >= 0 ? ms : undefined;
    },
    drop(): void {
      begunAt = 0;
      having((kept) => kept.removeItem(place));
    },
  };
}

/** Puts words into a form, where nothing stands yet. */
export function fill(form: HTMLFormElement, text: TipText): void {
  for (const name of ['body', 'name', 'contact'] as const) {
    const field = form.elements.namedItem(name);
    const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    if (isField && field.value === '') field.value = String(text[name] ?? '');
  }
  const mayName = form.elements.namedItem('may_name');
  if (mayName instanceof HTMLInputElement) mayName.checked ||= text.may_name === true;
}

export function readTip(form: FormData): TipText {
  const text = (name: keyof typeof NO_TIP) => String(form.get(name) ?? '');
  return {
    coverage: text('coverage'),
    body: text('body'),
    name: text('name'),
    may_name: form.has('may_name'),
    contact: text('contact'),
  };
}

/** A browser that keeps nothing is no reason to stop writing. */
export function having<T>(work: (kept: Storage) => T): NonNullable<T> | undefined {
  try {
    return work(localStorage) ?? undefined;
  } catch {
    return undefined;
  }
}

function read(kept: Storage, key: string): Draft | undefined {
  try {
    return (JSON.parse(kept.getItem(key) ?? 'null') as Draft | null) ?? undefined;
  } catch {
    return undefined;
  }
}

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

const PLACE = 'stoppress.tips';

/** Whether tips that were pressed wait on this device: their forms start by themselves then. This stands in each page. */
export function doTipsWait(): boolean {
  try {
    return PLACE in localStorage;
  } catch {
    return false;
  }
}

/** @param wait false once nothing waits any more */
export function setTipsWait(wait: boolean): void {
  try {
    if (wait) localStorage.setItem(PLACE, '1');
    else localStorage.removeItem(PLACE);
  } catch {
    // What keeps nothing keeps no tips.
  }
}
