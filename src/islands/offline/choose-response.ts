import type { Verdict } from './saved-page.ts';

/** How long the line may take before the saved copy is asked about, and before it is shown. In milliseconds. */
export const SLOW_MS = 2000;
export const DEAD_MS = 8000;

/** How long a page is waited for after the site has said that there is something new, which it can only say on a line. */
export const NEWS_MS = 6000;

/** How long anything is waited for that there is no copy of: nobody looks at a blank page for longer. */
export const PATIENCE_MS = 25_000;

type Question = {
  /** The page, on its way. */
  network: Promise<Response>;
  /** Asks the site about the saved copy, where it can be asked; absent where nothing is saved. */
  saved?: { ask(): Promise<Verdict> };
  /** Resolves after so many milliseconds. */
  after(ms: number): Promise<undefined>;
};

/** What the reader gets to see. */
export type Choice =
  | { show: 'network'; response: Response }
  /** The saved copy: the site has said that nothing changed. */
  | { show: 'current' }
  /** The saved copy, marked: the site could not be asked. */
  | { show: 'saved' }
  | { show: 'nothing' };

/**
 * Network first. On a slow line a saved copy is asked about meanwhile, which takes less of it than the page does; on a
 * dead one it is shown for what it is. Nothing is waited for without end: a line may swallow all that is sent.
 */
export async function choose({ network, saved, after }: Question): Promise<Choice> {
  const answer = network.then(
    (response) => ({ response }),
    () => 'failed' as const,
  );
  if (!saved) return take(await Promise.race([answer, after(PATIENCE_MS)]));
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
  if (second === 'gone') return take(await Promise.race([answer, after(NEWS_MS)]));
  // More has come meanwhile: the site is there, and the page is worth some wait.
  if (second === 'changed') return takeOrSaved(await Promise.race([answer, after(NEWS_MS)]));
  return takeOrSaved(second);
}

type Arrived = { response: Response } | 'failed';

function take(arrived: Arrived | undefined): Choice {
  return typeof arrived === 'object' ? { show: 'network', response: arrived.response } : { show: 'nothing' };
}

/** A site that fails has words for it, but its page says more. */
function takeOrSaved(arrived: Arrived | undefined): Choice {
  const came = typeof arrived === 'object' && arrived.response.status < 500;
  return came ? take(arrived) : { show: 'saved' };
}
