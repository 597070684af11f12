import { isPoorConnection } from './line.ts';
import { isWithdrawn } from './list.ts';
import { findWorker, registerWorker, WORKER_DELAY_MS } from './worker.ts';

export type SavedCopy = {
  /** The page has moved on: to change `seq`, by these articles. */
  update(seq: number, articles: HTMLElement[]): void;
  /** The coverage is gone, and every copy of it. */
  delete(): void;
  stop(): void;
};

/**
 * Has the service worker keep this page as it now is: once it is there, at once when something on it was taken back or
 * corrected, and else when the reader leaves. Where the site wants no copies, the worker that is here takes itself away.
 */
export function startSavingCopy({ dataset }: HTMLElement): SavedCopy {
  const { slug } = dataset;
  const keepsCopies = dataset.copies !== 'off';
  let seq = Number(dataset.seq);
  let worker: ServiceWorker | null = null;
  let hasChanged = false;

  const findActiveWorker = async () => {
    worker ??= (await findWorker())?.active ?? null;
    return worker;
  };
  /** Refused in private windows and where a device has no room: then nothing is kept. */
  const ignoreErrors = (work: () => Promise<unknown>) => void work().catch(() => undefined);

  const save = (more?: { forget?: string | undefined; first?: boolean }) => {
    hasChanged = false;
    // The browser itself still has what it has just loaded.
    const pathToSave = isPoorConnection() && !more?.first ? undefined : location.pathname + location.search;
    worker?.postMessage({ ...more, keep: pathToSave, seq });
  };
  const forget = () =>
    ignoreErrors(async () => {
      if (await findActiveWorker()) save({ forget: slug });
    });

  async function begin() {
    worker = await registerWorker(keepsCopies);
    // What came by the worker is kept already.
    if (!navigator.serviceWorker?.controller) save({ first: true });
  }
  const timer = setTimeout(() => ignoreErrors(begin), keepsCopies ? WORKER_DELAY_MS : 0);
  const onHide = () => {
    if (document.hidden && hasChanged && !isPoorConnection()) save();
  };
  document.addEventListener('visibilitychange', onHide);
  ignoreErrors(findActiveWorker);

  return {
    update(now, articles) {
      if (now === seq) return;
      seq = now;
      hasChanged = true;
      if (articles.some((article) => isWithdrawn(article) || article.querySelector('.note'))) forget();
    },
    delete: () => ignoreErrors(async () => (await findActiveWorker())?.postMessage({ forget: slug })),
    stop() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onHide);
    },
  };
}
