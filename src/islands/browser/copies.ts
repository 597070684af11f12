import { isPoorLine } from './line.ts';
import { isWithdrawn } from './list.ts';
import { askForWorker, findWorker, SETTLED_MS } from './worker.ts';

export type Copies = {
  /** The page has moved on: to change `seq`, by these articles. */
  moved(seq: number, articles: HTMLElement[]): void;
  /** The coverage is gone, and every copy of it. */
  gone(): void;
  stop(): void;
};

/**
 * Has the service worker keep this page as it now is: once it is there, at once when something on it was taken back or
 * corrected, and else when the reader leaves. Where the site wants no copies, the worker that is here takes itself away.
 */
export function keepCopies({ dataset }: HTMLElement): Copies {
  const { slug } = dataset;
  const keepsCopies = dataset.copies !== 'off';
  let seq = Number(dataset.seq);
  let worker: ServiceWorker | null = null;
  let movedOn = false;

  const find = async () => {
    worker ??= (await findWorker())?.active ?? null;
    return worker;
  };
  /** Refused in private windows and where a device has no room: then nothing is kept. */
  const unlessRefused = (work: () => Promise<unknown>) => void work().catch(() => undefined);

  const save = (more?: { forget?: string | undefined; first?: boolean }) => {
    movedOn = false;
    // The browser itself still has what it has just loaded.
    const spared = isPoorLine() && !more?.first ? undefined : location.pathname + location.search;
    worker?.postMessage({ ...more, keep: spared, seq });
  };
  const forget = () =>
    unlessRefused(async () => {
      if (await find()) save({ forget: slug });
    });

  async function begin() {
    worker = await askForWorker(keepsCopies);
    // What came by the worker is kept already.
    if (!navigator.serviceWorker?.controller) save({ first: true });
  }
  const timer = setTimeout(() => unlessRefused(begin), keepsCopies ? SETTLED_MS : 0);
  const leave = () => {
    if (document.hidden && movedOn && !isPoorLine()) save();
  };
  document.addEventListener('visibilitychange', leave);
  unlessRefused(find);

  return {
    moved(now, articles) {
      if (now === seq) return;
      seq = now;
      movedOn = true;
      if (articles.some((article) => isWithdrawn(article) || article.querySelector('.note'))) forget();
    },
    gone: () => unlessRefused(async () => (await find())?.postMessage({ forget: slug })),
    stop() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', leave);
    },
  };
}
