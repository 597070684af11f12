import type { TipText } from '../../lib/tips/tip.ts';

const FIELDS = ['body', 'name', 'contact'] as const;

/** Keeps the words of a tip until there is a receipt, or the tab is closed. @param coverage its slug; '' for none */
export function keptTip(coverage: string) {
  const place = `stoppress.tip.${coverage}`;
  return {
    keep(text: TipText): void {
      try {
        sessionStorage.setItem(place, JSON.stringify(text));
      } catch {
        // What keeps nothing is no reason to stop writing.
      }
    },
    /** Puts what was kept into a form, where nothing stands yet. */
    bringBack(form: HTMLFormElement): void {
      const kept = read(place);
      for (const name of FIELDS) {
        const field = form.elements.namedItem(name);
        const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
        if (isField && field.value === '') field.value = String(kept[name] ?? '');
      }
    },
    drop(): void {
      try {
        sessionStorage.removeItem(place);
      } catch {
        // There is nothing to forget.
      }
    },
  };
}

function read(place: string): Partial<TipText> {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? '{}') as Partial<TipText>;
  } catch {
    return {};
  }
}
