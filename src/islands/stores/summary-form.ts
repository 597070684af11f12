import { atom, computed, type ReadableAtom } from 'nanostores';
import { parseBody } from '../../lib/body/parse.ts';
import { excerpt } from '../../lib/body/text.ts';
import { writeBody } from '../../lib/body/write.ts';
import type { Base, Press } from '../../lib/outbox/kept.ts';
import { openedPlace } from '../../lib/outbox/presses.ts';
import { desk as words } from '../../lib/text/desk.ts';
import { outbox } from '../../lib/text/outbox.ts';
import { keeper } from '../browser/kept-work.ts';
import type { Desk } from './desk.ts';
import type { Outgoing } from './outbox.ts';

/** A coverage's summary as it is written anew: kept on this device at every change, and pressed into the outbox. */
export type SummaryForm = {
  /** What stands, or is on its way, until something is typed. */
  $text: ReadableAtom<string>;
  /** Takes up what this device has kept. Not before the first rendering. */
  start(): void;
  type(text: string): void;
  /** Keeps it as a press, from where it is sent. */
  save(): Promise<void>;
};

/** Characters of the first words, to tell a press by. */
const TITLE = 80;

/** @param opened a press that was refused or taken back, whose words go on here, over the summary as it stands */
export function makeSummaryForm(desk: Desk, opened?: Outgoing): SummaryForm {
  const { id } = desk.$coverage.get();
  const kept = keeper(desk.person.id, id, opened ? openedPlace(opened.id) : 'summary');
  const $typed = atom<string | null>(opened?.summary ?? null);

  /** What was pressed here last and is not seen on the desk yet. */
  const underWay = (outgoing = desk.outbox.$outgoing.get()) =>
    outgoing.findLast(({ kind, step }) => kind === 'summary' && step !== 'needs_you');
  const baseNow = (): Base => ({
    version: desk.$coverage.get().version,
    press: opened ? null : (underWay()?.id ?? null),
  });

  function report({ answered }: Press): void {
    desk.$said.set(answered ? words.coverage.summarySaved : outbox.needsYou);
    void desk.refresh();
  }

  const $text = computed(
    [$typed, desk.$coverage, desk.outbox.$outgoing],
    (typed, { summary }, outgoing) => typed ?? underWay(outgoing)?.summary ?? writeBody(summary),
  );
  return {
    $text,
    start() {
      void kept.read().then((draft) => {
        // What is typed before the device has answered is the newer.
        const text = (draft?.form as { text?: string } | undefined)?.text;
        if (text !== undefined && $typed.get() === (opened?.summary ?? null)) $typed.set(text);
      });
    },
    type(text) {
      const isFirst = $typed.get() === null;
      $typed.set(text);
      kept.keep({ id, form: { text }, before: null, base: isFirst ? baseNow() : undefined }, () => undefined);
    },
    async save() {
      const text = $text.get();
      const summary = parseBody(text, desk.$coverage.get().summary);
      const draft = await kept.settled();
      await desk.outbox.press(
        {
          subject: `${id}/summary`,
          kind: 'summary',
          base: baseNow(),
          calls: [{ action: 'set_summary', args: { coverage_id: id, summary }, isVersioned: true }],
          title: excerpt(summary, TITLE),
          work: { summary: text },
        },
        // Whoever has opened it again has seen what stands.
        opened ? { instead: opened.id } : { draft },
        report,
      );
      kept.release();
      $typed.set(null);
    },
  };
}
