import { desk as messages } from '../../../lib/text/desk.ts';

/** @param about what is closed, as it is said to whoever does not see where the button stands */
export function CloseButton({ about, onClose }: { about: string; onClose: () => void }) {
  return (
    <button
      type="button"
      className="quiet"
      aria-label={messages.about(messages.close, about)}
      onClick={onClose}
    >
      {messages.close}
    </button>
  );
}
