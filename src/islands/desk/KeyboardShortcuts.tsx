import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { useShared } from '../shared/use-shared.ts';
import { CloseButton } from './controls.tsx';
import { useMessages } from './messages.tsx';
import {
  $keysOn,
  $keysShown,
  $shortcuts,
  type Shortcut,
  showKeys,
  switchKeys,
  useShortcuts,
} from './shortcuts.ts';

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
  useShortcuts([{ key: '?', label: texts.show, run: () => showKeys(true) }]);
  useEffect(() => {
    if (isShown) panel.current?.focus();
  }, [isShown]);
  const close = () => {
    showKeys(false);
    opener.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
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
          onClick={() => showKeys(!isShown)}
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
