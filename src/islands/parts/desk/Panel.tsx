import { type ReactNode, useEffect, useRef } from 'react';

type Props = {
  children: ReactNode;
  /** Closes it: Escape does so too. Absent where what stands around it hears the key. */
  onClose?: () => void;
};

/** Something that opened in its place: the focus goes into it, to what is marked as its first. Where it goes from there is for whoever closes it. */
export function Panel({ children, onClose }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // What says something in it may have taken the focus.
    if (panel.current?.contains(document.activeElement)) return;
    const first = panel.current?.querySelector<HTMLElement>('[data-first]');
    (first ?? panel.current?.querySelector<HTMLElement>('textarea, input, button'))?.focus();
  }, []);
  useEffect(() => {
    const place = panel.current;
    if (!place || !onClose) return;
    const onKeyDown = ({ key, target, isComposing }: KeyboardEvent) => {
      // Escape of a word that is being put together ends that word; of panels in panels it closes the innermost.
      if (key !== 'Escape' || isComposing || !(target instanceof Element)) return;
      if (target.closest('.panel') === place) onClose();
    };
    place.addEventListener('keydown', onKeyDown);
    return () => place.removeEventListener('keydown', onKeyDown);
  }, [onClose]);
  return (
    <div className="panel" ref={panel}>
      {children}
    </div>
  );
}
