import { atom, computed, type ReadableAtom } from 'nanostores';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { readSummaryVersions, SUMMARY_VERSIONS_PER_PAGE, type SummaryVersion } from '../../lib/data/desk.ts';
import { deskClock } from '../../lib/data/scheduling.ts';
import { tableWords } from '../../lib/data/update-form.ts';
import { type Body, excerpt } from '../../lib/domain/body/blocks.ts';
import { parseBody } from '../../lib/domain/body/source.ts';
import { writeBody } from '../../lib/domain/body/write-source.ts';
import { type DeskCoverage, urgentAfterSummary } from '../../lib/domain/desk.ts';
import { mayRun } from '../../lib/domain/permissions.ts';
import { clockOf } from '../../lib/domain/reader-coverage.ts';
import { shortTime, timeRelativeTo } from '../../lib/domain/time.ts';
import { directionOf } from '../../lib/i18n/language.ts';
import { Difference } from '../editor/Difference.tsx';
import { openDraftStore } from '../editor/draft-store.ts';
import { reopenedScope, SUMMARY_SCOPE } from '../outbox/commands.ts';
import type { BaseVersion, QueuedCommand } from '../outbox/entries.ts';
import type { QueuedCommandView } from '../outbox/outbox.ts';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { BodyBlocks } from '../update/BodyBlocks.tsx';
import { Panel, PanelEnd, TaskNote } from './controls.tsx';
import type { Desk } from './desk.ts';
import { useReload } from './hooks.ts';
import { type DeskMessages, messagesIn, useMessages } from './messages.tsx';
import { makeTask } from './task.ts';

/** Parts of the desk that the form of the summary uses. */
type SummaryDesk = Pick<Desk, 'person' | '$coverage' | 'outbox' | 'view' | 'sync'>;

/** Form of a coverage's summary. It is stored on this device at every change and saved through the outbox. */
type SummaryFormStore = {
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

type SummaryFormProps = { desk: Pick<Desk, '$coverage'>; form: SummaryFormStore; onClose: () => void };

/** Form for a coverage's summary. */
function SummaryForm({ desk, form, onClose }: SummaryFormProps) {
  const messages = useMessages();
  const { slug, language } = useShared(desk.$coverage);
  const text = useShared(form.$text);
  useEffect(() => form.start(), [form]);

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    await form.save();
    onClose();
  };
  return (
    <form onSubmit={save} noValidate>
      <Field label={messages.desk.coverage.editSummary} help={messages.desk.coverage.summaryHelp}>
        {(control) => (
          <textarea
            {...control}
            rows={4}
            lang={language}
            dir="auto"
            value={text}
            onChange={(event) => form.type(event.target.value)}
          />
        )}
      </Field>
      <PanelEnd
        state={{ step: 'idle' }}
        slug={slug}
        confirm={messages.desk.coverage.saveSummary}
        onClose={onClose}
        about={messages.desk.coverage.editSummary}
      />
    </form>
  );
}

type SummaryVersionsProps = {
  desk: Pick<Desk, '$coverage' | 'backend'>;
  /** Puts a version into the form. Without it the versions are read-only. */
  onRestore?: (version: SummaryVersion) => void;
};

/** List of all versions of the summary, with author, time and changes. */
function SummaryVersions({ desk, onRestore }: SummaryVersionsProps) {
  const messages = useMessages();
  const coverage = useShared(desk.$coverage);
  const [isOpen, setIsOpen] = useState(false);
  const [shown, setShown] = useState<SummaryVersion[]>();
  const [hasOlder, setHasOlder] = useState(false);
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  const { versions } = messages.running;
  const clock = deskClock(messages, coverage);

  const load = async (before?: number) => {
    const more = await desk.backend.read((client) => readSummaryVersions(client, coverage.id, before));
    setHasOlder(more.length === SUMMARY_VERSIONS_PER_PAGE);
    setShown(before === undefined ? more : [...(shown ?? []), ...more]);
  };
  // Refetches when a new version is saved while the list is open.
  useReload(task, isOpen ? String(coverage.version) : null, load);
  const newest = shown?.[0]?.version;
  return (
    <details className="versions" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{versions.title}</summary>
      <TaskNote state={progress} slug={coverage.slug} />
      {shown?.length === 0 && <p className="help">{versions.none}</p>}
      <ol>
        {shown?.map((item, index) => (
          <li key={item.version}>
            <p className="row-line">
              <b>{versions.version(item.version)}</b>
              <time dateTime={item.at}>{timeRelativeTo(item.at, new Date(), clock)}</time>
              {item.by && <span>{versions.by(item.by)}</span>}
              {item.version === newest && <span>{versions.now}</span>}
            </p>
            {item.summary.length === 0 && <p className="help">{versions.empty}</p>}
            <Difference
              before={shown[index + 1]?.summary ?? []}
              after={item.summary}
              language={coverage.language}
              timeZone={coverage.time_zone}
            />
            {onRestore && item.version !== newest && item.summary.length > 0 && (
              <button type="button" className="quiet" onClick={() => onRestore(item)}>
                {versions.bringBack} <span className="visually-hidden">{versions.version(item.version)}</span>
              </button>
            )}
          </li>
        ))}
      </ol>
      {hasOlder && (
        <button type="button" onClick={() => task.run(() => load(shown?.at(-1)?.version))}>
          {versions.older}
        </button>
      )}
    </details>
  );
}

/**
 * The current summary with its versions, and a form for editors. Above it stands a reminder if an urgent update is
 * newer.
 */
export function SummaryEditor({ desk }: { desk: SummaryDesk & Pick<Desk, 'backend' | 'updates'> }) {
  const messages = useMessages();
  const coverage = useShared(desk.$coverage);
  const { summary } = coverage;
  const urgentAt = urgentAfterSummary(coverage, useShared(desk.updates.$rows));
  const [form] = useState(() => makeSummaryForm(messages, desk));
  const [open, setOpen] = useState(false);
  const heading = useRef<HTMLElement>(null);
  const isEditor = mayRun(desk.person);
  const close = () => {
    setOpen(false);
    heading.current?.focus();
  };
  const edit = () => {
    heading.current?.parentElement?.toggleAttribute('open', true);
    setOpen(true);
  };
  return (
    <>
      {urgentAt && (
        <div className="refused">
          <p>
            {messages.desk.coverage.summaryStale(
              timeRelativeTo(urgentAt, new Date(), deskClock(messages, coverage)),
            )}
          </p>
          {isEditor && !open && (
            <button type="button" onClick={edit}>
              {messages.desk.coverage.editSummary}
            </button>
          )}
        </div>
      )}
      <details className="summary-editor">
        <summary ref={heading}>{messages.desk.coverage.summary}</summary>
        {summary.length > 0 ? (
          <SummaryText coverage={coverage} />
        ) : (
          <p className="help">{messages.desk.coverage.noSummary}</p>
        )}
        {open && (
          <Panel onClose={close}>
            <SummaryForm desk={desk} form={form} onClose={close} />
          </Panel>
        )}
        {isEditor && !open && (
          <div className="actions">
            <button type="button" onClick={() => setOpen(true)}>
              {messages.desk.coverage.editSummary}
            </button>
          </div>
        )}
        <SummaryVersions
          desk={desk}
          {...(isEditor && {
            onRestore(version) {
              form.type(writeBody(version.summary, undefined, tableWords(messages, coverage.time_zone)));
              setOpen(true);
              desk.view.$announcement.set(messages.running.versions.broughtBack);
            },
          })}
        />
      </details>
    </>
  );
}

/** The summary as readers see it. */
function SummaryText({ coverage }: { coverage: DeskCoverage }) {
  const { reader } = messagesIn(useMessages(), coverage.language);
  const { summary, summary_at, language } = coverage;
  return (
    <div lang={language} dir={directionOf(language)}>
      <BodyBlocks
        messages={reader}
        formatTime={(at) => shortTime(at, summary_at ?? at, clockOf(coverage))}
        body={summary}
      />
    </div>
  );
}

type OpenedSummaryProps = { desk: SummaryDesk; item: QueuedCommandView; onClose: () => void };

/** Editor for a refused or held summary, below the current summary. The next save replaces the command. */
export function ReopenedSummary({ desk, item, onClose }: OpenedSummaryProps) {
  const messages = useMessages();
  const [form] = useState(() => makeSummaryForm(messages, desk, item));
  const coverage = useShared(desk.$coverage);
  return (
    <Panel onClose={onClose}>
      <h3>{messages.desk.coverage.summary}</h3>
      <SummaryText coverage={coverage} />
      <SummaryForm desk={desk} form={form} onClose={onClose} />
    </Panel>
  );
}
