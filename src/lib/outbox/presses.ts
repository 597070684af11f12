import { type Base, type Draft, draftKey, type NewPress, type Press } from './kept.ts';
import { tell } from './news.ts';
import { inOrder, lastOf, replaced } from './order.ts';
import type { Hand } from './shelf.ts';
import { reading, writing } from './shelf-here.ts';

/** What was answered is kept so long, to be shown and to be undone: milliseconds. */
export const SHOWN_MS = 10_000;

/** What a press is made of, beside its own: words, or another press whose place it takes. */
export type From = {
  draft?: Draft | null;
  /** A press that was refused or taken back: this one stands in its place. */
  instead?: string;
  /** Done to the update as it is once everything before is done, whatever version was seen. */
  isAfterAll?: boolean;
};

/**
 * Keeps a press, in one transaction with the draft that it is made of: that becomes the press, or, where the desk is
 * told without anybody pressing, goes on over it. What was not tried yet of the same draft is replaced.
 */
export async function addPress(made: NewPress, { draft, instead, isAfterAll }: From = {}): Promise<Press> {
  const press = await writing(async (hand) => {
    const presses = await hand.all('presses');
    await forgetShown(hand, presses);
    const there = draft ? await hand.get('drafts', draft.key) : undefined;
    const isOurs = there !== undefined && there.stamp === draft?.stamp;
    const seen = answeredBase(presses, isOurs ? there.base : made.base);
    const base = isAfterAll ? { ...seen, press: lastOf(presses, made)?.id ?? seen.press } : seen;
    const before = replaced(presses, base);
    if (before) await hand.drop('presses', before.id);
    const place = presses.find(({ id }) => id === instead);
    const press: Press = {
      ...made,
      nr: place?.nr ?? Math.max(0, ...presses.map(({ nr }) => nr)) + 1,
      base: before?.base ?? base,
      stamp: isOurs && made.kind === 'auto' ? there.stamp : null,
      calls: made.calls.map((call) => ({ ...call, op: crypto.randomUUID(), isDone: false })),
      attempts: 0,
      state: 'waiting',
      refusal: null,
      answered: null,
    };
    await hand.put('presses', press.id, press);
    if (place) {
      await hand.drop('presses', place.id);
      await dropOpened(hand, place.id);
      await follow(hand, place.id, { version: press.base.version, press: press.id });
    }
    if (isOurs && made.kind === 'auto') {
      await hand.put('drafts', there.key, { ...there, base: { version: base.version, press: press.id } });
    } else if (isOurs) await hand.drop('drafts', there.key);
    return press;
  });
  tell({ of: 'presses', person: press.person });
  return press;
}

/** Everything that is kept of a person's presses, in order: what waits, what needs them, what was answered just now. */
export async function readPresses(person: string): Promise<Press[]> {
  const all = await reading((hand) => hand.all('presses'));
  return inOrder(all.filter((press) => press.person === person));
}

/** What is not with the desk yet. @param coverage its id; without it, of all coverages */
export async function waiting(person: string, coverage?: string): Promise<Press[]> {
  const presses = await readPresses(person);
  return presses.filter((press) => press.state !== 'done' && (!coverage || press.coverage === coverage));
}

/**
 * Holds a press that was not tried yet, so that its words can be written on.
 * @returns the press; undefined when it has been tried meanwhile, or is not there any more
 */
export async function hold(id: string): Promise<Press | undefined> {
  const press = await writing(async (hand) => {
    const press = await hand.get('presses', id);
    if (press?.state !== 'waiting' || press.attempts > 0) return undefined;
    const held: Press = { ...press, state: 'held' };
    await hand.put('presses', id, held);
    return held;
  });
  if (press) tell({ of: 'presses', person: press.person });
  return press;
}

/**
 * Throws a press away that is refused, held, or not tried yet. What was pressed after it over its words is written over
 * what it was written over.
 * @returns the press; undefined when it is not there, or has been tried
 */
export async function dropPress(id: string): Promise<Press | undefined> {
  const press = await writing(async (hand) => {
    const press = await hand.get('presses', id);
    if (!press || press.state === 'done' || (press.state === 'waiting' && press.attempts > 0))
      return undefined;
    await hand.drop('presses', id);
    await dropOpened(hand, id);
    await follow(hand, id, press.base);
    return press;
  });
  if (press) tell({ of: 'presses', person: press.person });
  return press;
}

/** Makes a draft of a held press again, its words over what they were written over. @param place see `Draft` */
export async function toDraft(id: string, place: string): Promise<Draft | undefined> {
  const draft = await writing(async (hand) => {
    const press = await hand.get('presses', id);
    if (press?.state !== 'held') return undefined;
    const { person, coverage, subject, base } = press;
    const work = press.work as Pick<Draft, 'form' | 'before'>;
    const stamp = crypto.randomUUID();
    const named = { person, coverage, place, id: subject };
    const made: Draft = {
      ...named,
      key: `${draftKey(named)}/${stamp}`,
      base,
      form: work.form,
      before: work.before ?? null,
      isSaved: false,
      stamp,
      at: Date.now(),
    };
    await hand.drop('presses', id);
    await hand.put('drafts', made.key, made);
    await follow(hand, id, base);
    return made;
  });
  if (!draft) return undefined;
  tell({ of: 'drafts', person: draft.person });
  tell({ of: 'presses', person: draft.person });
  return draft;
}

/** Tries a press again that was refused or taken back, as it is. */
export async function tryAgain(id: string): Promise<void> {
  const person = await writing(async (hand) => {
    const press = await hand.get('presses', id);
    if (press?.state !== 'refused' && press?.state !== 'held') return undefined;
    // What the newsroom has failed over may have happened.
    const attempts = press.refusal?.code === 'internal' ? press.attempts : 0;
    await hand.put('presses', id, { ...press, state: 'waiting', refusal: null, attempts, faults: 0 });
    return press.person;
  });
  if (person) tell({ of: 'presses', person });
}

/** Throws away all that a person has on this device. */
export async function forgetWork(person: string): Promise<void> {
  await writing(async (hand) => {
    for (const { key, ...draft } of await hand.all('drafts')) {
      if (draft.person === person) await hand.drop('drafts', key);
    }
    for (const press of await hand.all('presses')) {
      if (press.person === person) await hand.drop('presses', press.id);
    }
  });
  tell({ of: 'drafts', person });
  tell({ of: 'presses', person });
}

/**
 * Whatever was written over the words of a press is written over `base` now.
 * @param saved the stamp of a draft that the desk has now, if it is still as it was
 */
export async function follow(
  hand: Hand,
  press: string,
  base: Base,
  saved: string | null = null,
): Promise<void> {
  for (const other of await hand.all('presses')) {
    if (other.base.press === press) await hand.put('presses', other.id, { ...other, base });
  }
  for (const draft of await hand.all('drafts')) {
    if (draft.base.press === press)
      await hand.put('drafts', draft.key, { ...draft, base, isSaved: draft.stamp === saved });
  }
}

/** Words over what is answered already are over the version that it has made. */
function answeredBase(presses: Press[], base: Base): Base {
  const answered = presses.find(({ id }) => id === base.press)?.answered;
  return answered ? { version: answered.version, press: null } : base;
}

/** Where the words of a press that is refused or held are written on. */
export const openedPlace = (press: string): string => `press:${press}`;

/** What was written on there goes with the press: nobody would find it again. */
async function dropOpened(hand: Hand, press: string): Promise<void> {
  for (const { key, place } of await hand.all('drafts')) {
    if (place === openedPlace(press)) await hand.drop('drafts', key);
  }
}

async function forgetShown(hand: Hand, presses: Press[]): Promise<void> {
  for (const { id, answered } of presses) {
    if (answered && Math.abs(Date.now() - answered.at) > 6 * SHOWN_MS) await hand.drop('presses', id);
  }
}
