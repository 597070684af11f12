import type { EMPTY_TIP, TipValues } from '../../lib/data/tips.ts';

const DRAFTS = 'stoppress.tip.';
/** A day: after that, another person may use the device. */
export const DRAFT_LIFETIME_MS = 24 * 3_600_000;

type Draft = { text: TipValues; begunAt: number; at: number };

/**
 * Stores the text of a tip on this device at every change, until it is sent or a day old.
 * @param coverage slug of the coverage; '' for none
 */
export function tipDraft(coverage: string) {
  const key = DRAFTS + coverage;
  /** Time of the first key press in milliseconds; 0 if unknown. */
  let begunAt = 0;
  return {
    save(text: TipValues): void {
      begunAt ||= Date.now();
      withLocalStorage((storage) =>
        storage.setItem(key, JSON.stringify({ text, begunAt, at: Date.now() } satisfies Draft)),
      );
    },
    /**
     * Fills the empty fields of a form with the stored text.
     * @returns whether there was stored text
     */
    restore(form: HTMLFormElement): boolean {
      const draft = withLocalStorage((storage) => {
        for (const key of Object.keys(storage)) {
          const isExpired = Date.now() - (readStored(storage, key)?.at ?? 0) > DRAFT_LIFETIME_MS;
          if (key.startsWith(DRAFTS) && isExpired) storage.removeItem(key);
        }
        return readStored(storage, key);
      });
      if (!draft) return false;
      begunAt = draft.begunAt;
      fillForm(form, draft.text);
      return true;
    },
    /** Milliseconds since the first key press, if known. */
    writingMs(): number | undefined {
      const ms = Date.now() - begunAt;
      return begunAt && ms >= 0 ? ms : undefined;
    },
    delete(): void {
      begunAt = 0;
      withLocalStorage((storage) => storage.removeItem(key));
    },
  };
}

/** Fills the empty fields of a form. */
export function fillForm(form: HTMLFormElement, text: TipValues): void {
  for (const name of ['body', 'name', 'contact'] as const) {
    const field = form.elements.namedItem(name);
    const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    if (isField && field.value === '') field.value = String(text[name] ?? '');
  }
  const mayName = form.elements.namedItem('may_be_named');
  if (mayName instanceof HTMLInputElement) mayName.checked ||= text.may_be_named === true;
}

export function readTipFields(form: FormData): TipValues {
  const text = (name: keyof typeof EMPTY_TIP) => String(form.get(name) ?? '');
  return {
    coverage: text('coverage'),
    body: text('body'),
    name: text('name'),
    may_be_named: form.has('may_be_named'),
    contact: text('contact'),
  };
}

/** Runs an action on local storage; undefined when storage is not available. */
export function withLocalStorage<T>(action: (storage: Storage) => T): NonNullable<T> | undefined {
  try {
    return action(localStorage) ?? undefined;
  } catch {
    return undefined;
  }
}

function readStored(storage: Storage, key: string): Draft | undefined {
  try {
    return (JSON.parse(storage.getItem(key) ?? 'null') as Draft | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Receipt of a tip from this device, without its text. */
type StoredReceipt = { receipt: string; at: number };

const RECEIPTS_KEY = 'stoppress.receipts';
const MAX_RECEIPTS = 10;

/** Receipts on this device, newest first. */
export const readReceipts = (): StoredReceipt[] =>
  withLocalStorage((storage) => JSON.parse(storage.getItem(RECEIPTS_KEY) ?? '[]')) ?? [];

export function storeReceipt(receipt: string): void {
  const others = readReceipts().filter((one) => one.receipt !== receipt);
  const all = [{ receipt, at: Date.now() }, ...others].slice(0, MAX_RECEIPTS);
  withLocalStorage((storage) => storage.setItem(RECEIPTS_KEY, JSON.stringify(all)));
}

export const deleteReceipts = (): unknown => withLocalStorage((storage) => storage.removeItem(RECEIPTS_KEY));

const STORAGE_KEY = 'stoppress.tips';

/** Whether tips are queued on this device, so that their form starts at once. This code is part of each page. */
export function hasQueuedTips(): boolean {
  try {
    return STORAGE_KEY in localStorage;
  } catch {
    return false;
  }
}

/** @param hasQueued false after the last tip was sent */
export function setHasQueuedTips(hasQueued: boolean): void {
  try {
    if (hasQueued) localStorage.setItem(STORAGE_KEY, '1');
    else localStorage.removeItem(STORAGE_KEY);
  } catch {
    // Without local storage no tips are queued either.
  }
}
