import { atom } from 'nanostores';
import { type KeyboardEvent as ReactKeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { withLocalStorage } from '../shared/local-storage.ts';
import { useShared } from '../shared/use-shared.ts';
import { CloseButton } from './controls.tsx';
import { useMessages } from './messages.tsx';

/** A keyboard shortcut of the desk. */
export type Shortcut = {
  /**
   * For example `n`, `?`, `Mod+b`, `Mod+Shift+8`; `Mod` is Ctrl or ⌘. Without `Mod` it works only outside text fields
   * and can be switched off.
   */
  key: string;
  /** Label in the list of shortcuts. */
  label: string;
  run(): void;
  /** Whether it applies now; without it, always. */
  when?(): boolean;
};

/** All shortcuts of this page in order of registration. */
const $shortcuts = atom<readonly Shortcut[]>([]);
/** Whether shortcuts without Ctrl or ⌘ are enabled. Stored on the device. */
const $keysOn = atom(true);
/** Whether the list of shortcuts is open. */
const $keysShown = atom(false);

const STORAGE_KEY = 'stoppress.keys';

/**
 * Registers shortcuts, in browsers only. For the same key the last one registered is tried first. Returns a function
 * that removes them.
 */
function addShortcuts(shortcuts: readonly Shortcut[]): () => void {
  if ($shortcuts.get().length === 0) {
    document.addEventListener('keydown', onKeyDown);
    $keysOn.set(readStored());
  }
  $shortcuts.set([...$shortcuts.get(), ...shortcuts]);
  return () => {
    $shortcuts.set($shortcuts.get().filter((shortcut) => !shortcuts.includes(shortcut)));
    if ($shortcuts.get().length === 0) document.removeEventListener('keydown', onKeyDown);
  };
}

/** Enables or disables shortcuts without Ctrl or ⌘ on this device. */
function switchKeys(isOn: boolean): void {
  $keysOn.set(isOn);
  // Without local storage it applies to this page only.
  withLocalStorage((storage) =>
    isOn ? storage.removeItem(STORAGE_KEY) : storage.setItem(STORAGE_KEY, 'off'),
  );
}

const readStored = (): boolean => withLocalStorage((storage) => storage.getItem(STORAGE_KEY)) !== 'off';

function onKeyDown(event: KeyboardEvent): void {
  // Keys during a composition are not shortcuts.
  if (event.defaultPrevented || event.isComposing) return;
  const shortcut = $shortcuts
    .get()
    .toReversed()
    .find(({ key, when }) => isPressed(key, event) && isAllowed(key, event) && (when?.() ?? true));
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run();
}

function isAllowed(key: string, { target }: KeyboardEvent): boolean {
  if (key.startsWith('Mod+')) return true;
  return $keysOn.get() && !(target instanceof Element && isTypedInto(target));
}

/** Elements in which keys enter text or select an option. */
const isTypedInto = (element: Element) =>
  element.matches(
    'textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"], [type="file"])',
  );

/** On non-Latin keyboards, Ctrl with a key's position counts as the Latin character. */
const KEY_CODES: Record<string, string> = { '.': 'Period', '/': 'Slash', Enter: 'Enter' };

/** Whether a keyboard event matches a shortcut. */
export function isPressed(
  shortcut: string,
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): boolean {
  const parts = shortcut.split('+');
  const key = parts.at(-1) ?? '';
  const isMod = event.ctrlKey || event.metaKey;
  if (parts.includes('Mod') !== isMod || event.altKey) return false;
  // Keyboards differ in which characters need Shift.
  if (!isMod) return event.key === key;
  if (parts.includes('Shift') !== event.shiftKey) return false;
  if (event.key.toLowerCase() === key.toLowerCase()) return true;
  const isLatin = /^[a-z]$/i.test(event.key);
  return !isLatin && event.code === codeOf(key);
}

function codeOf(key: string): string {
  if (/^\d$/.test(key)) return `Digit${key}`;
  return KEY_CODES[key] ?? `Key${key.toUpperCase()}`;
}

/** Registers keyboard shortcuts while a component is mounted. Their callbacks may change, their keys may not. */
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

type Props = {
  /** Content beside the button. */
  children: ReactNode;
  /** Whether the page has no editor, so that help on markup is omitted. */
  isPlain?: boolean;
};

/** Button and list of the page's keyboard shortcuts, with help on markup. */
export function KeyboardShortcuts({ children, isPlain = false }: Props) {
  const messages = useMessages();
  const { shortcuts: texts } = messages.composer;
  const isShown = useShared($keysShown);
  const isOn = useShared($keysOn);
  const shortcuts = useShared($shortcuts);
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  useShortcuts([{ key: '?', label: texts.show, run: () => $keysShown.set(true) }]);
  useEffect(() => {
    if (isShown) panel.current?.focus();
  }, [isShown]);
  const close = () => {
    $keysShown.set(false);
    opener.current?.focus();
  };
  const onKeyDown = (event: ReactKeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  return (
    <>
      <div className="composer-head">
        {children}
        <button
          ref={opener}
          type="button"
          className="quiet keys-button"
          aria-expanded={isShown}
          onClick={() => $keysShown.set(!isShown)}
        >
          {texts.open}
        </button>
      </div>
      {isShown && (
        <section
          ref={panel}
          className="keys"
          tabIndex={-1}
          aria-labelledby="keys-title"
          onKeyDown={onKeyDown}
        >
          <h3 id="keys-title">{texts.title}</h3>
          <dl>
            {uniqueByKey(shortcuts).map(({ key, label }) => (
              <div key={key}>
                <dt>
                  <kbd>{keyLabel(key)}</kbd>
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
          <p className="field check">
            <label>
              <input type="checkbox" checked={isOn} onChange={(event) => switchKeys(event.target.checked)} />{' '}
              {texts.on}
            </label>
          </p>
          {!isPlain && <MarkupHelp />}
          <div className="actions">
            <CloseButton about={texts.title} onClose={close} />
          </div>
        </section>
      )}
    </>
  );
}

/** Help on markup in texts. */
function MarkupHelp() {
  const messages = useMessages();
  const { shortcuts } = messages.composer;
  return (
    <>
      <h3>{shortcuts.helpTitle}</h3>
      <ul>
        {shortcuts.help.map((sample) => (
          <li key={sample}>
            <code>{sample}</code>
          </li>
        ))}
      </ul>
      <p className="help">{shortcuts.helpAddress}</p>
      <p className="help">{shortcuts.helpPlain}</p>
    </>
  );
}

/** Removes duplicates, because several editors may be open. */
const uniqueByKey = (shortcuts: readonly Shortcut[]) => [
  ...new Map(shortcuts.map((shortcut) => [shortcut.key, shortcut])).values(),
];

const KEY_SYMBOLS: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑' };

/** Label of a key as on the keyboard: ⌘ on Apple devices. */
function keyLabel(key: string): string {
  const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
  const [name = '', ...mods] = key.split('+').reverse();
  if (mods.length === 0) return KEY_SYMBOLS[name] ?? name;
  const mod = isApple ? '⌘' : 'Ctrl';
  const modifiers = mods.includes('Shift') ? [mod, isApple ? '⇧' : 'Shift'] : [mod];
  return [...modifiers, name.length === 1 ? name.toUpperCase() : name].join(' ');
}
