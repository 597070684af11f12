/** Between two looks while the desk is on the screen. */
const EVERY_MS = 5000;

/** When a desk looks. */
export type Looks = {
  /** Every few seconds while the page is visible. */
  tick(): void;
  /** At once: the page has become visible, the line has come or gone. */
  wake(): void;
};

/** A page that nobody looks at reads nothing: it looks at everything when it is seen again. */
export const isSeen = () => document.visibilityState === 'visible';

/** Calls back at once, and then as long as the page is on the screen. Returns what ends it. */
export function keepLooking({ tick, wake }: Looks): () => void {
  const seen = (look: () => void) => () => {
    if (isSeen()) look();
  };
  const onWake = seen(wake);
  const timer = setInterval(seen(tick), EVERY_MS);
  document.addEventListener('visibilitychange', onWake);
  // Coming back from another tab or window: somebody may have signed in there.
  const events = ['focus', 'online', 'offline'];
  for (const event of events) window.addEventListener(event, onWake);
  onWake();
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onWake);
    for (const event of events) window.removeEventListener(event, onWake);
  };
}
