import { atom, computed, type ReadableAtom } from 'nanostores';
import { tableWords } from '../../lib/data/update-form.ts';
import { type Body, excerpt } from '../../lib/domain/body/blocks.ts';
import { parseBody } from '../../lib/domain/body/source.ts';
import { writeBody } from '../../lib/domain/body/write-source.ts';
import { openDraftStore } from '../editor/draft-store.ts';
import { reopenedScope, SUMMARY_SCOPE } from '../outbox/commands.ts';
import type { BaseVersion, QueuedCommand } from '../outbox/entries.ts';
import type { QueuedCommandView } from '../outbox/outbox.ts';
import type { Desk } from './desk.ts';
import type { DeskMessages } from './messages.tsx';

/** Parts of the desk that the form of the summary uses. */
export type SummaryDesk = Pick<Desk, 'person' | '$coverage' | 'outbox' | 'view' | 'sync'>;

/** Form of a coverage's summary. It is stored on this device at every change and saved through the outbox. */
export type SummaryFormStore = {
  /** The typed text, else the summary that is being sent, else the stored one. */
  $text: ReadableAtom<string>;
  /** Loads the stored draft. Call after the first rendering. */
  start(): void;
  type(text: string): void;
  /** Stores a save command in the outbox, which sends it. */
  save(): Promise<void>;
};

/** Length of a command's label in characters. */
const TITLE = 80;

/** @param opened a refused or held command whose text is edited over the current summary */
export function makeSummaryForm(
  messages: DeskMessages,
  desk: SummaryDesk,
  opened?: QueuedCommandView,
): SummaryFormStore {
  const { id } = desk.$coverage.get();
  const draftStore = openDraftStore(desk.person.id, id, opened ? reopenedScope(opened.id) : SUMMARY_SCOPE);
  const $typed = atom<string | null>(opened?.summary ?? null);

  /** The last summary command that the desk does not show yet. */
  const pendingCommand = (commands = desk.outbox.$commands.get()) =>
    commands.findLast(({ kind, step }) => kind === 'summary' && step !== 'needs_you');
  const baseNow = (): BaseVersion => ({
    version: desk.$coverage.get().version,
    command: opened ? null : (pendingCommand()?.id ?? null),
  });

  function report({ result }: QueuedCommand): void {
    desk.view.$announcement.set(result ? messages.desk.coverage.summarySaved : messages.outbox.needsYou);
    void desk.sync.refresh();
  }

  const write = (summary: Body) =>
    writeBody(summary, undefined, tableWords(messages, desk.$coverage.get().time_zone));
  const $text = computed(
    [$typed, desk.$coverage, desk.outbox.$commands],
    (typed, { summary }, commands) => typed ?? pendingCommand(commands)?.summary ?? write(summary),
  );
  return {
    $text,
    start() {
      void draftStore.read().then((draft) => {
        // Text that was typed before the draft was read is newer.
        const text = (draft?.form as { text?: string } | undefined)?.text;
        if (text !== undefined && $typed.get() === (opened?.summary ?? null)) $typed.set(text);
      });
    },
    type(text) {
      const isFirst = $typed.get() === null;
      $typed.set(text);
      draftStore.save(
        { id, form: { text }, before: null, base: isFirst ? baseNow() : undefined },
        () => undefined,
      );
    },
    async save() {
      const text = $text.get();
      const coverage = desk.$coverage.get();
      const summary = parseBody(text, coverage.summary, coverage.time_zone);
      const draft = await draftStore.flushed();
      await desk.outbox.add(
        {
          subject: `${id}/summary`,
          kind: 'summary',
          base: baseNow(),
          calls: [{ action: 'set_summary', args: { coverage_id: id, summary }, isVersioned: true }],
          title: excerpt(summary, TITLE),
          edited: { summary: text },
        },
        // The current summary was shown when the command was opened again.
        opened ? { replaces: opened.id } : { draft },
        report,
      );
      draftStore.release();
      $typed.set(null);
    },
  };
}
