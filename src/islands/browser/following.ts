import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { $asking, $freshness, $hindrance, $reload, $said } from '../stores/feed.ts';
import { type Answer, ask } from './answer.ts';
import { follow } from './follow.ts';
import { isPoorLine, isSlowLine } from './line.ts';
import type { TopicSocket } from './socket.ts';
import { RARE_S } from './wait.ts';
import { readWay, type Way } from './way.ts';

type Task = {
  /** The `<main>` of the coverage's page. */
  page: HTMLElement;
  /** Takes in one answer; a check may have several. */
  take(answer: Answer): void;
  /** A check is over and the page knows everything. */
  settled(): void;
  /** The coverage was withdrawn. */
  gone(): void;
};

/**
 * Follows a coverage as long as the stores say that it may, by socket or by checks as the site says.
 * Answers a function that stops it.
 */
export function keepFollowing({ page, take, settled, gone }: Task): () => void {
  const { id = '', slug = '', seq } = page.dataset;
  let way = readWay(page);
  let wanted = false;
  let loaded = false;
  let socket: TopicSocket | undefined;

  const follower = follow<Answer>({
    seq: Number(seq),
    interval: way.interval,
    ask(after, until) {
      $said.set('');
      return ask(slug, after, until);
    },
    take(answer) {
      way = answer;
      $freshness.setKey('every', rareInterval(way));
      take(answer);
    },
    settled(at) {
      $hindrance.setKey('failures', 0);
      $freshness.setKey('checked', at);
      settled();
      choose();
    },
    failed: (times) => $hindrance.setKey('failures', times),
    gone,
    chance: Math.random,
    isSlow: isSlowLine,
  });

  /** Opens, keeps or closes the socket. */
  function choose() {
    const { follow, backend } = way;
    // One that is opening is among those that the site counts: it is kept too.
    const by = follow === 'sockets' || (follow === 'full' && wanted);
    wanted = by && $asking.get() && !isPoorLine();
    if (wanted && backend && !loaded) load(backend);
    socket?.want(wanted);
  }

  async function load(backend: BrowserBackend) {
    loaded = true;
    try {
      const { coverageSocket } = await import('./socket.ts');
      socket = coverageSocket(id, backend, follower);
      socket.want(wanted);
    } catch {
      // A check has just been answered, so it is the script that is gone. Another edition has one.
      if ($reload.get() === 'no') $reload.set('newer');
    }
  }

  const forget = $asking.subscribe((may) => {
    follower.may(may);
    choose();
  });
  return () => {
    forget();
    follower.may(false);
    wanted = false;
    socket?.want(false);
  };
}

/** Seconds between checks that are so rare that readers are told; else 0. */
function rareInterval({ follow, interval }: Way): number {
  return follow === 'checks' && interval >= RARE_S ? interval : 0;
}
