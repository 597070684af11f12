import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { composer } from '../../lib/i18n/composer.ts';
import { CloseButton } from './controls.tsx';
import { useShared } from './hooks.ts';
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
  /** What stands beside the button. */
  children: ReactNode;
  /** No text is written on this page whose words are marked. */
  isPlain?: boolean;
};

/** The button for the list of keys, and the list: what each does on this page, and how words are marked in a text. */
export function KeysPanel({ children, isPlain = false }: Props) {
  const messages = composer.shortcuts;
  const isShown = useShared($keysShown);
  const isOn = useShared($keysOn);
  const shortcuts = useShared($shortcuts);
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  useShortcuts([{ key: '?', label: messages.show, run: () => showKeys(true) }]);
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
          {messages.open}
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
          <h3 id="keys-title">{messages.title}</h3>
          <dl>
            {listed(shortcuts).map(({ key, label }) => (
              <div key={key}>
                <dt>
                  <kbd>{shown(key)}</kbd>
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
          <p className="field check">
            <label>
              <input type="checkbox" checked={isOn} onChange={(event) => switchKeys(event.target.checked)} />{' '}
              {messages.on}
            </label>
          </p>
          {!isPlain && <Marks />}
          <div className="actions">
            <CloseButton about={messages.title} onClose={close} />
          </div>
        </section>
      )}
    </>
  );
}

/** How words of a text are marked. */
function Marks() {
  const messages = composer.shortcuts;
  return (
    <>
      <h3>{messages.helpTitle}</h3>
      <ul>
        {messages.help.map((sample) => (
          <li key={sample}>
            <code>{sample}</code>
          </li>
        ))}
      </ul>
      <p className="help">{messages.helpAddress}</p>
      <p className="help">{messages.helpPlain}</p>
    </>
  );
}

/** Each key once: several editors may be open. */
const listed = (shortcuts: readonly Shortcut[]) => [
  ...new Map(shortcuts.map((shortcut) => [shortcut.key, shortcut])).values(),
];

const SIGNS: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑' };

/** A key as it is written on keyboards: ⌘ where there is one. */
function shown(key: string): string {
  const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
  const [name = '', ...mods] = key.split('+').reverse();
  if (mods.length === 0) return SIGNS[name] ?? name;
  const mod = isApple ? '⌘' : 'Ctrl';
  const held = mods.includes('Shift') ? [mod, isApple ? '⇧' : 'Shift'] : [mod];
  return [...held, name.length === 1 ? name.toUpperCase() : name].join(' ');
}
