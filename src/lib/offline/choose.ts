import type { Verdict } from './page.ts';

/** How long the line may take before the saved copy is asked about, and before it is shown. In milliseconds. */
export const SLOW_MS = 2000;
export const DEAD_MS = 8000;

type Question = {
  /** The page, on its way. */
  network: Promise<Response>;
  /** Asks the site about the saved copy, where it can be asked; absent where nothing is saved. */
  saved?: { ask(): Promise<Verdict> };
  /** Resolves after so many milliseconds. */
  after(ms: number): Promise<void>;
};

/** What the reader gets to see, and whether the saved copy must go. */
export type Choice =
  | { show: 'network'; response: Response; forget: boolean }
  /** The saved copy: the site has said that nothing changed. */
  | { show: 'current' }
  /** The saved copy, marked: the site could not be asked. */
  | { show: 'saved' }
  | { show: 'nothing'; forget: boolean };

/**
 * Network first. On a slow line a saved copy is asked about meanwhile, which takes less of it than the page does; on a
 * dead one it is shown for what it is.
 */
export async function choose({ network, saved, after }: Question): Promise<Choice> {
  const answer = network.then(
    (response) => ({ response }),
    () => 'failed' as const,
  );
  if (!saved) return take(await answer);
  const first = await Promise.race([answer, after(SLOW_MS)]);
  if (first) return takeOrSaved(first);
  const asked = saved.ask();
  // Whichever of the two fails, the other may still come.
  const page = answer.then<Arrived | Verdict>((arrived) =>
    arrived === 'failed' ? asked.catch(() => arrived) : arrived,
  );
  const verdict = asked.catch(() => page);
  const second = await Promise.race([page, verdict, after(DEAD_MS - SLOW_MS)]);
  if (second === 'current') return { show: 'current' };
  if (second === 'gone') return { ...take(await answer), forget: true };
  // More has come meanwhile: the site is there, and the page is worth the wait.
  if (second === 'changed') return takeOrSaved(await answer);
  return second ? takeOrSaved(second) : { show: 'saved' };
}

type Arrived = { response: Response } | 'failed';

function take(arrived: Arrived) {
  if (arrived === 'failed') return { show: 'nothing', forget: false } as const;
  const { response } = arrived;
  return { show: 'network', response, forget: response.status === 404 || response.status === 410 } as const;
}

/** A site that fails has words for it, but its page says more. */
function takeOrSaved(arrived: Arrived): Choice {
  const failed = arrived === 'failed' || arrived.response.status >= 500;
  return failed ? { show: 'saved' } : take(arrived);
}
