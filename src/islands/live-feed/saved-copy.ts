import { network } from '../network/network.ts';
import { findWorker, registerWorker, WORKER_DELAY_MS } from '../network/service-worker.ts';
import { isWithdrawn } from './page.ts';

export type SavedCopy = {
  /** The page now shows changes up to `seq`, in these articles. */
  update(seq: number, articles: HTMLElement[]): void;
  /** The coverage was withdrawn: delete all its copies. */
  delete(): void;
  stop(): void;
};

/**
 * Lets the service worker save this page: when it is registered, at once after a withdrawal or correction, otherwise
 * when the reader leaves. If the site allows no saved pages, the worker unregisters itself.
 */
export function startSavingCopy({ dataset }: HTMLElement): SavedCopy {
  const { slug } = dataset;
  const allowsSavedPages = dataset.copies !== 'off';
  let seq = Number(dataset.seq);
  let worker: ServiceWorker | null = null;
  let hasChanged = false;

  const findActiveWorker = async () => {
    // A worker that a newer one has replaced receives no messages.
    if (!worker || worker.state === 'redundant') worker = (await findWorker())?.active ?? null;
    return worker;
  };
  /** Rejected in private windows and on full devices; then nothing is saved. */
  const ignoreErrors = (work: () => Promise<unknown>) => void work().catch(() => undefined);

  const save = (more?: { deleteCoverage?: string | undefined; isFirstLoad?: boolean }) => {
    hasChanged = false;
    // On a poor connection the copy in the browser's own cache is enough.
    const pathToSave =
      network().isPoor && !more?.isFirstLoad ? undefined : location.pathname + location.search;
    worker?.postMessage({ ...more, savePath: pathToSave, seq });
  };
  const saveIfRegistered = (more?: { deleteCoverage: string | undefined }) =>
    ignoreErrors(async () => {
      if (await findActiveWorker()) save(more);
    });

  async function begin() {
    worker = await registerWorker(allowsSavedPages);
    // A page that came through the worker is already saved.
    if (!navigator.serviceWorker?.controller) save({ isFirstLoad: true });
  }
  const timer = setTimeout(() => ignoreErrors(begin), allowsSavedPages ? WORKER_DELAY_MS : 0);
  const onHide = () => {
    if (document.hidden && hasChanged && !network().isPoor) saveIfRegistered();
  };
  document.addEventListener('visibilitychange', onHide);
  ignoreErrors(findActiveWorker);

  return {
    update(now, articles) {
      if (now === seq) return;
      seq = now;
      hasChanged = true;
      if (articles.some((article) => isWithdrawn(article) || article.querySelector('.note')))
        saveIfRegistered({ deleteCoverage: slug });
    },
    delete: () => ignoreErrors(async () => (await findActiveWorker())?.postMessage({ deleteCoverage: slug })),
    stop() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onHide);
    },
  };
}
