import { type RefObject, useEffect } from 'react';

/** So long after a finger is up its press may still come: milliseconds. */
const PRESS_MS = 400;

/**
 * Keeps a part of the page, in which somebody writes, as large as it is while they press elsewhere: it draws back once
 * the finger is up. What moves away under a finger is not pressed. The style sheet knows it by `data-held`.
 */
export function useStill(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onDown = () => {
      clearTimeout(timer);
      place.current?.toggleAttribute('data-held', place.current.contains(document.activeElement));
    };
    const onUp = () => {
      clearTimeout(timer);
      timer = setTimeout(() => place.current?.removeAttribute('data-held'), PRESS_MS);
    };
    document.addEventListener('pointerdown', onDown, true);
    for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, onUp, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerdown', onDown, true);
      for (const end of ['pointerup', 'pointercancel']) document.removeEventListener(end, onUp, true);
    };
  }, [place]);
}
