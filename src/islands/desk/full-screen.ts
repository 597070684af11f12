import { type RefObject, useEffect, useRef } from 'react';

/** Whether an editor fills the screen. The style sheet has the same limit. */
export const isNarrowScreen = (): boolean => matchMedia('(max-width: 63.99rem)').matches;

type HistoryState = { fullScreen?: string } | null;

/** Name of the editor that belongs to the current entry of the history. */
export const fullScreenEntry = (): string | undefined => (history.state as HistoryState)?.fullScreen;

/**
 * Lets an open editor fill a narrow screen. It gets its own entry in the history, so that going back closes it, and it
 * keeps above the on-screen keyboard. The style sheet hides the other parts of the page.
 * @param name distinguishes the editors of a page
 * @param onClose called after going back
 */
export function useFullScreen(
  element: RefObject<HTMLElement | null>,
  name: string,
  isOpen: boolean,
  onClose: () => void,
): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isOpen || !isNarrowScreen()) return;
    const { scrollY } = window;
    if (fullScreenEntry() !== name) history.pushState({ fullScreen: name }, '');
    const onPopState = () => {
      if (fullScreenEntry() !== name) close.current();
    };
    addEventListener('popstate', onPopState);
    const stopFitting = fitAboveKeyboard(element.current);
    return () => {
      removeEventListener('popstate', onPopState);
      stopFitting();
      if (fullScreenEntry() === name) history.back();
      window.scrollTo({ top: scrollY, behavior: 'instant' });
    };
  }, [element, name, isOpen]);
}

/** Reports the visible part of the window to the style sheet. In some browsers the keyboard covers the page. */
function fitAboveKeyboard(element: HTMLElement | null): () => void {
  const viewport = window.visualViewport;
  if (!element || !viewport) return () => {};
  const resize = () => {
    element.style.setProperty('--view-top', `${viewport.offsetTop}px`);
    element.style.setProperty('--view-height', `${viewport.height}px`);
  };
  resize();
  for (const event of ['resize', 'scroll']) viewport.addEventListener(event, resize);
  return () => {
    for (const event of ['resize', 'scroll']) viewport.removeEventListener(event, resize);
  };
}
