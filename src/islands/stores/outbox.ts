import { atom, type ReadableAtom } from 'nanostores';
import { type Refusal, Refused } from '../../lib/http/errors.ts';
import type { Send } from '../../lib/outbox/deliver.ts';
import type { Draft, NewPress, Press, PressKind } from '../../lib/outbox/kept.ts';
import { type HoldUp, onNews } from '../../lib/outbox/news.ts';
import { nextOf } from '../../lib/outbox/order.ts';
import {
  addPress,
  dropPress,
  type From,
  hold,
  readPresses,
  SHOWN_MS,
  toDraft,
  tryAgain,
} from '../../lib/outbox/presses.ts';
import { type Delivering, startDelivering } from '../browser/delivering.ts';
import type { Work } from './editor.ts';

/** Where something that was pressed has come to. */
export type OutStep = 'on_device' | 'sending' | 'with_desk' | 'live' | 'needs_you';

/** Something that was pressed here and is not in the list yet. */
export type Outgoing = {
  /** The id of the press. */
  id: string;
  /** The id of the update, or of the coverage whose summary or pin it is. */
  update: string;
  kind: PressKind;
  /** The first words, to tell it by. */
  excerpt: string;
  step: OutStep;
  /** Why it is still here. */
  holdUp: HoldUp | null;
  /** Nobody has tried to send it: it can be taken back. */
  isUntried: boolean;
  /** Taken back by its person, not refused. */
  isHeld: boolean;
  number?: number;
  refusal?: Refusal;
  /** Until when what went live can be undone by a press: milliseconds. */
  undoUntil?: number;
  work: Work | null;
  /** The words of a summary, as they were typed. */
  summary?: string;
};

/** What became of a press, for whoever pressed. */
export type Report = (press: Press) => void;

type Summary = { summary: string };
export type Pressed = Omit<NewPress<Work | Summary>, 'id' | 'person' | 'coverage' | 'slug'>;

export type Outbox = {
  /** In the order in which it was pressed. */
  $outgoing: ReadableAtom<Outgoing[]>;
  /** What holds everything up that waits. */
  $holdUp: ReadableAtom<HoldUp | null>;
  /** Keeps a press, and sends it. @param report told of its answer, or its refusal, while this page is open */
  press(pressed: Pressed, from: From, report?: Report): Promise<Press>;
  /**
   * As `press`, for what has no words to be mended later: waits for the answer as long as there is a line.
   * @returns the answered press; undefined when it waits on this device
   * @throws Refused: then nothing of it is kept
   */
  act(pressed: Omit<Pressed, 'work'>): Promise<Press | undefined>;
  /**
   * Takes back what was not tried yet.
   * @returns `open`: its words wait here to be opened; `composer`: they are there again; `gone`: there were none;
   *   `late`: it was tried meanwhile
   */
  takeBack(id: string): Promise<'open' | 'composer' | 'gone' | 'late'>;
  /** To be told where words of a new update are brought back to, as long as nothing else is written there. Returns what ends it. */
  bringTo(take: (draft: Draft) => void, isFree: () => boolean): () => void;
  throwAway(id: string): Promise<void>;
  again(id: string): Promise<void>;
  /** Tries to send at once: the newsroom is reached. */
  wake(): void;
  /** Begins to send and to show. Returns what ends it. */
  start(): () => void;
};

type Around = {
  person: string;
  coverage: { id: string; slug: string };
  send: Send;
};

/** The outbox of a person as the desk of a coverage shows it. What waits for other coverages is sent too. */
export function makeOutbox({ person, coverage, send }: Around): Outbox {
  const $outgoing = atom<Outgoing[]>([]);
  const $holdUp = atom<HoldUp | null>(null);
  const reports = new Map<string, Report>();
  let sending: string | null = null;
  let delivering: Delivering | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let look = Promise.resolve();
  let free: { take: (draft: Draft) => void; isFree: () => boolean } | undefined;

  /** One after another: what was read first is shown first. */
  function show(): Promise<void> {
    look = look.then(async () => {
      const presses = (await readPresses(person)).filter((press) => press.coverage === coverage.id);
      clearTimeout(timer);
      const now = Date.now();
      const shown = presses.filter((press) => isShown(press, now));
      $outgoing.set(shown.map((press) => outgoingOf(press, sending, $holdUp.get())));
      const ends = shown.flatMap(({ answered }) => (answered ? [answered.at + SHOWN_MS - now] : []));
      if (ends.length > 0) timer = setTimeout(show, Math.min(...ends, SHOWN_MS) + 1);
      for (const press of presses) report(press);
    });
    return look;
  }

  function report(press: Press): void {
    if (press.state === 'waiting') return;
    const told = reports.get(press.id);
    reports.delete(press.id);
    told?.(press);
  }

  async function press(pressed: Pressed, from: From, told?: Report): Promise<Press> {
    const id = crypto.randomUUID();
    if (told) reports.set(id, told);
    const { id: coverage_id, slug } = coverage;
    const made = { ...pressed, id, person, coverage: coverage_id, slug };
    const kept = await addPress(made, from);
    if (pressed.kind === 'auto') return kept;
    await show();
    delivering?.wake();
    return kept;
  }

  function act(pressed: Omit<Pressed, 'work'>): Promise<Press | undefined> {
    return new Promise((resolve, reject) => {
      const told: Report = (answered) => {
        stop();
        if (answered.state === 'done') return resolve(answered);
        const { refusal } = answered;
        if (!refusal) return resolve(undefined);
        // Whoever waits has the words still, and is told why.
        void dropPress(answered.id).then(() => reject(new Refused(refusal)));
      };
      const making = press({ ...pressed, work: null }, { isAfterAll: true }, told);
      // Nothing more is sent now: it waits for the line, the session, or for what is refused before it.
      const stop = onNews(async (news) => {
        if (news.of !== 'sending' || news.person !== person || news.press) return;
        const { id } = await making;
        if (!news.holdUp && !(await isBlocked(person, id))) return;
        stop();
        resolve(undefined);
      });
      making.then(() => {
        if (!delivering) resolve(undefined);
      }, reject);
    });
  }

  return {
    $outgoing,
    $holdUp,
    press,
    act,
    async takeBack(id) {
      const held = await hold(id);
      if (!held) return 'late';
      if (!held.work) {
        await dropPress(id);
        return 'gone';
      }
      const { before } = held.work as Work;
      if (before || held.kind === 'summary' || !free?.isFree()) return 'open';
      const draft = await toDraft(id, 'new');
      if (draft) free.take(draft);
      return 'composer';
    },
    bringTo(take, isFree) {
      free = { take, isFree };
      return () => {
        free = undefined;
      };
    },
    async throwAway(id) {
      await dropPress(id);
    },
    async again(id) {
      await tryAgain(id);
      delivering?.wake();
    },
    wake: () => delivering?.wake(),
    start() {
      const stopHearing = onNews((news) => {
        if (news.of === 'device' || news.person !== person) return;
        if (news.of === 'sending') {
          sending = news.press;
          $holdUp.set(news.holdUp);
        }
        if (news.of !== 'drafts') void show();
      });
      delivering = startDelivering(person, send);
      void show();
      return () => {
        stopHearing();
        clearTimeout(timer);
        delivering?.stop();
        delivering = undefined;
      };
    },
  };
}

/** Whether a press waits although everything that could go has gone. */
async function isBlocked(person: string, id: string): Promise<boolean> {
  const presses = await readPresses(person);
  return presses.some((press) => press.id === id && press.state === 'waiting') && !nextOf(presses);
}

/** What nobody pressed is not shown; what was answered is, for a while. */
function isShown({ kind, state, answered }: Press, now: number): boolean {
  if (kind === 'auto') return false;
  return state !== 'done' || (answered !== null && Math.abs(now - answered.at) < SHOWN_MS);
}

function outgoingOf(press: Press, sending: string | null, holdUp: HoldUp | null): Outgoing {
  const { id, subject, kind, title, state, attempts, answered, refusal } = press;
  const isLive = answered?.state === 'published';
  return {
    id,
    update: subject,
    kind,
    excerpt: title,
    step: stepOf(press, sending),
    holdUp,
    isUntried: state === 'waiting' && attempts === 0,
    isHeld: state === 'held',
    ...(answered?.number ? { number: answered.number } : {}),
    ...(refusal ? { refusal } : {}),
    ...(answered && isLive && kind === 'publish' ? { undoUntil: answered.at + SHOWN_MS } : {}),
    ...(kind === 'summary' && press.work ? { summary: (press.work as Summary).summary } : {}),
    work: kind === 'summary' ? null : (press.work as Work | null),
  };
}

function stepOf({ id, state, answered }: Press, sending: string | null): OutStep {
  if (state === 'refused' || state === 'held') return 'needs_you';
  if (state === 'done') return answered?.state === 'published' ? 'live' : 'with_desk';
  return id === sending ? 'sending' : 'on_device';
}
