import { desk as words } from '../../../lib/text/desk.ts';

/** @param about what is closed, as it is said to whoever does not see where the button stands */
export function CloseButton({ about, onClose }: { about: string; onClose: () => void }) {
  return (
    <button type="button" className="quiet" aria-label={words.about(words.close, about)} onClick={onClose}>
      {words.close}
    </button>
  );
}
