import type { Refusal } from '../../lib/http/errors.ts';
import { dropDraft, keepDraft, readDraft, readDrafts, type Written } from '../../lib/outbox/drafts.ts';
import type { Base, Draft } from '../../lib/outbox/kept.ts';
import { onNews } from '../../lib/outbox/news.ts';
import { isDurable } from '../../lib/outbox/shelf-here.ts';

/** What is kept of an editor's work; `base` only when it is another one than before. */
export type Keeping = Pick<Written, 'id' | 'form' | 'before' | 'base' | 'aside'>;

export type Keeper = {
  /** What this tab kept last; else what any tab did. */
  read(): Promise<Draft | null>;
  /** Keeps it, at once or after what is being kept now. @param told whether this device keeps it */
  keep(work: Keeping, told: (isKept: boolean) => void): void;
  /** What is kept, once everything that was to be kept is. */
  settled(): Promise<Draft | null>;
  /** Goes on with a draft that is kept. */
  adopt(draft: Draft): void;
  /** What is kept has become something else: the next words are kept anew. */
  release(): void;
  /** Forgets what this tab kept. What another has written over it since stays. */
  drop(): Promise<void>;
  /** Hears when the desk has taken in what is kept: the words are over another version now. Returns what ends it. */
  onBase(told: (base: Base) => void): () => void;
  /** Hears why the desk has not taken in what is kept. Returns what ends it. */
  onRefused(told: (refusal: Refusal) => void): () => void;
};

/**
 * Keeps work on this device, apart for each person and coverage: what one person wrote is never shown to another. Each
 * piece has a place of its own, because two tabs may write at once.
 * @param place the update's id, or `new` for the composer
 */
export function keeper(person: string, coverage: string, place: string): Keeper {
  let seen: Draft | null = null;
  let next: (() => Promise<void>) | undefined;
  let running: Promise<void> | undefined;
  let tellRefused: ((refusal: Refusal) => void) | undefined;

  async function run(): Promise<void> {
    while (next) {
      const now = next;
      next = undefined;
      await now();
    }
  }
  async function settled(): Promise<Draft | null> {
    while (running) await running;
    return seen;
  }
  function release(): void {
    seen = null;
    rememberKey(place, coverage, null);
  }

  return {
    settled,
    release,
    adopt(draft) {
      seen = draft;
      rememberKey(place, coverage, draft.key);
    },
    async read() {
      const drafts = (await readDrafts(person, coverage)).filter((draft) => draft.place === place);
      const own = rememberedKey(place, coverage);
      seen = drafts.find(({ key }) => key === own) ?? drafts.at(-1) ?? null;
      return seen;
    },
    keep(work, told) {
      next = async () => {
        const ours = seen?.id === work.id ? seen : null;
        seen = await keepDraft({ ...work, person, coverage, place }, ours);
        rememberKey(place, coverage, seen.key);
        told(isDurable());
        // It came while these words were on their way.
        if (seen.refusal && !ours?.refusal) tellRefused?.(seen.refusal);
        askToPersist();
      };
      running ??= run().finally(() => {
        running = undefined;
      });
    },
    async drop() {
      next = undefined;
      const kept = await settled();
      release();
      if (kept) await dropDraft(kept);
    },
    onBase(told) {
      return onNews(async (news) => {
        if (news.of !== 'drafts' || news.person !== person || !seen || running) return;
        const there = await readDraft(seen.key);
        if (!there || there.stamp !== seen?.stamp) return;
        const isOther = JSON.stringify(there.base) !== JSON.stringify(seen.base);
        const refused = there.refusal && !seen.refusal ? there.refusal : null;
        seen = there;
        if (refused) tellRefused?.(refused);
        if (isOther) told(there.base);
      });
    },
    onRefused(told) {
      tellRefused = told;
      return () => {
        tellRefused = undefined;
      };
    },
  };
}

/** Which of several drafts is this tab's. Where nothing is remembered it is the newest. */
function rememberKey(place: string, coverage: string, key: string | null): void {
  try {
    if (key) sessionStorage.setItem(`stoppress.draft.${coverage}.${place}`, key);
    else sessionStorage.removeItem(`stoppress.draft.${coverage}.${place}`);
  } catch {
    // Then it is not remembered.
  }
}

function rememberedKey(place: string, coverage: string): string | null {
  try {
    return sessionStorage.getItem(`stoppress.draft.${coverage}.${place}`);
  } catch {
    return null;
  }
}

let isAsked = false;

/** A browser that runs out of room throws away what was not asked to stay. */
function askToPersist(): void {
  if (isAsked || typeof navigator === 'undefined') return;
  isAsked = true;
  void navigator.storage?.persist?.().catch(() => undefined);
}
