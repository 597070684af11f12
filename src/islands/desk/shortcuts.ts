import { atom, type ReadableAtom } from 'nanostores';
import { useEffect, useRef } from 'react';

/** A key that does something at the desk. */
export type Shortcut = {
  /**
   * As `n`, `?`, `Mod+b`, `Mod+Shift+8`: `Mod` is Ctrl or ⌘. What has no `Mod` works only while nothing is being typed,
   * and not for whoever has switched such keys off.
   */
  key: string;
  /** What it does, in the words of the list of keys. */
  label: string;
  run(): void;
  /** Whether it does something now; always, without it. */
  when?(): boolean;
};

const all = atom<readonly Shortcut[]>([]);
const on = atom(true);
const isShown = atom(false);

/** Every key that this page knows, in the order in which they were added. */
export const $shortcuts: ReadableAtom<readonly Shortcut[]> = all;
/** Whether keys without Ctrl or ⌘ work: a device remembers it. */
export const $keysOn: ReadableAtom<boolean> = on;
/** Whether the list of keys is open. */
export const $keysShown: ReadableAtom<boolean> = isShown;

const PLACE = 'stoppress.keys';

/** Adds keys, in a browser alone. Of two for the same key the one that was added last is asked first. Returns what takes them away. */
export function addShortcuts(shortcuts: readonly Shortcut[]): () => void {
  if (all.get().length === 0) {
    document.addEventListener('keydown', onKeyDown);
    on.set(remembered());
  }
  all.set([...all.get(), ...shortcuts]);
  return () => {
    all.set(all.get().filter((shortcut) => !shortcuts.includes(shortcut)));
    if (all.get().length === 0) document.removeEventListener('keydown', onKeyDown);
  };
}

export function showKeys(isOpen: boolean): void {
  isShown.set(isOpen);
}

/** Switches keys without Ctrl or ⌘ on or off, on this device. */
export function switchKeys(isOn: boolean): void {
  on.set(isOn);
  try {
    if (isOn) localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, 'off');
  } catch {
    // Then it holds for this page.
  }
}

function remembered(): boolean {
  try {
    return localStorage.getItem(PLACE) !== 'off';
  } catch {
    return true;
  }
}

function onKeyDown(event: KeyboardEvent): void {
  // Part of a word that is being put together is no key of its own.
  if (event.defaultPrevented || event.isComposing) return;
  const found = all
    .get()
    .toReversed()
    .find(({ key, when }) => isPressed(key, event) && isFree(key, event) && (when?.() ?? true));
  if (!found) return;
  event.preventDefault();
  found.run();
}

function isFree(key: string, { target }: KeyboardEvent): boolean {
  if (key.startsWith('Mod+')) return true;
  return on.get() && !(target instanceof Element && isTypedInto(target));
}

/** Keys mean letters, or a choice, there. */
const isTypedInto = (element: Element) =>
  element.matches(
    'textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"], [type="file"])',
  );

/** Where a keyboard writes other letters, Ctrl with a place on it means the Latin letter there. */
const PLACES: Record<string, string> = { '.': 'Period', '/': 'Slash', Enter: 'Enter' };

/** Whether an event is what a shortcut names. */
export function isPressed(
  shortcut: string,
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): boolean {
  const parts = shortcut.split('+');
  const key = parts.at(-1) ?? '';
  const isMod = event.ctrlKey || event.metaKey;
  if (parts.includes('Mod') !== isMod || event.altKey) return false;
  // Which keys have a sign only with Shift is for the keyboard.
  if (!isMod) return event.key === key;
  if (parts.includes('Shift') !== event.shiftKey) return false;
  if (event.key.toLowerCase() === key.toLowerCase()) return true;
  const isLatin = /^[a-z]$/i.test(event.key);
  return !isLatin && event.code === codeOf(key);
}

function codeOf(key: string): string {
  if (/^\d$/.test(key)) return `Digit${key}`;
  return PLACES[key] ?? `Key${key.toUpperCase()}`;
}

/** Keys of a part of the desk, for as long as it is on the page. What they do may change; which they are may not. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(
    () =>
      addShortcuts(
        latest.current.map(({ key, label }, index) => ({
          key,
          label,
          run: () => latest.current[index]?.run(),
          when: () => latest.current[index]?.when?.() ?? true,
        })),
      ),
    [],
  );
}
