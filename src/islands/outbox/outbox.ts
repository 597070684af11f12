import { atom, type ReadableAtom } from 'nanostores';
import type { CommandKind } from '../../lib/domain/updates.ts';
import { loadErrorMessages, type Refusal, Refused } from '../../lib/i18n/refusals.ts';
import { onOutboxEvent, type PauseReason } from './broadcast.ts';
import {
  addCommand,
  type CommandSource,
  commandToDraft,
  deleteCommand,
  holdCommand,
  nextCommand,
  RESULT_SHOWN_MS,
  readCommands,
  reopenedScope,
  retryCommand,
} from './commands.ts';
import { readDrafts } from './drafts.ts';
import type { Draft, EditedUpdate, NewCommand, QueuedCommand } from './entries.ts';
import type { Send } from './rpc.ts';
import { type CommandSender, startSending } from './start-sending.ts';

/** Progress of a command. */
type CommandStep = 'on_device' | 'sending' | 'with_desk' | 'live' | 'needs_you';

/** A queued command as the desk shows it. */
export type QueuedCommandView = {
  /** Id of the command. */
  id: string;
  /** Id of the update, or of the coverage for a summary or a pinned update. */
  subject: string;
  kind: CommandKind;
  /** Beginning of the text, shown as a label. */
  excerpt: string;
  step: CommandStep;
  /** Why the outbox is not sending. */
  pauseReason: PauseReason | null;
  /** Not sent yet: it can be recalled. */
  isUnsent: boolean;
  number?: number;
  refusal?: Refusal;
  /** Time until which a publication can be undone, in milliseconds since 1970. */
  undoUntil?: number;
  edited: EditedUpdate | null;
  /** Text of a summary as it was typed. */
  summary?: string;
};

/** Receives a command once it is result, refused or held. */
type ResultListener = (command: QueuedCommand) => void;

type EditedSummary = { summary: string };
export type Command = Omit<NewCommand<EditedUpdate | EditedSummary>, 'id' | 'person' | 'coverage' | 'slug'>;

export type Outbox = {
  /** Commands in the order of creation. */
  $commands: ReadableAtom<QueuedCommandView[]>;
  /** Why waiting commands are not being sent. */
  $pauseReason: ReadableAtom<PauseReason | null>;
  /**
   * Stores a command and sends it.
   * @param onResult called with its result while this page is open
   */
  add(command: Command, from: CommandSource, onResult?: ResultListener): Promise<QueuedCommand>;
  /**
   * Calls back when sending has paused while a command waits: for a connection, a session, or an earlier refused
   * command. Returns a function that stops listening.
   */
  onPause(id: string, callback: () => void): () => void;
  /**
   * Turns a refused command into a draft.
   * @param scope see `Draft`
   * @returns undefined when the command no longer exists
   */
  returnDraft(id: string, scope: string): Promise<Draft | undefined>;
  /**
   * Adds a command without text, and waits for its result while there is a connection.
   * @returns the result command; undefined when it waits on this device
   * @throws Refused and deletes the command
   */
  addAndWait(command: Omit<Command, 'edited'>): Promise<QueuedCommand | undefined>;
  /**
   * Takes an unsent command back.
   * @returns `open`: its content can be opened; `composer`: its content is in the composer; `gone`: it had no content;
   *   `late`: it was sent meanwhile
   */
  recall(id: string): Promise<'open' | 'composer' | 'gone' | 'late'>;
  /**
   * Registers the composer that receives the content of a new update that was recalled, while it is empty. Returns a
   * function that unregisters it.
   */
  onReturnedDraft(take: (draft: Draft) => void, isFree: () => boolean): () => void;
  discard(id: string): Promise<void>;
  /**
   * Sends a refused or held command again.
   * @returns `open`: its text was changed since, so it must be opened and saved instead
   */
  retry(id: string): Promise<'open' | 'sent'>;
  /** Sends at once, for example when the backend is reachable again. */
  sendNow(): void;
  /** Starts sending and showing commands. Returns a function that stops both. */
  start(): () => void;
};

type OutboxOptions = {
  person: string;
  coverage: { id: string; slug: string };
  send: Send;
};

/** Outbox of a person on the desk of one coverage. It also sends commands of other coverages. */
export function makeOutbox({ person, coverage, send }: OutboxOptions): Outbox {
  const $commands = atom<QueuedCommandView[]>([]);
  const $pauseReason = atom<PauseReason | null>(null);
  const reports = new Map<string, ResultListener>();
  let sending: string | null = null;
  let sender: CommandSender | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastShow = Promise.resolve();
  let composer: { take: (draft: Draft) => void; isFree: () => boolean } | undefined;

  /** Runs in sequence, so that an older read cannot replace a newer one. */
  function show(): Promise<void> {
    lastShow = lastShow.then(async () => {
      const commands = (await readCommands(person)).filter((command) => command.coverage === coverage.id);
      clearTimeout(timer);
      const now = Date.now();
      const shown = commands.filter((command) => isShown(command, now));
      $commands.set(shown.map((command) => viewOf(command, sending, $pauseReason.get())));
      const ends = shown.flatMap(({ result }) => (result ? [result.at + RESULT_SHOWN_MS - now] : []));
      if (ends.length > 0) timer = setTimeout(show, Math.min(...ends, RESULT_SHOWN_MS) + 1);
      for (const command of commands) report(command);
      // Refusals of an earlier page are shown with their reasons. A slow network must not delay storing a command.
      if (shown.some(({ refusal }) => refusal?.reason))
        void loadErrorMessages().then(() => $commands.set([...$commands.get()]));
    });
    return lastShow;
  }

  function report(command: QueuedCommand): void {
    if (command.state === 'waiting') return;
    const onResult = reports.get(command.id);
    reports.delete(command.id);
    onResult?.(command);
  }

  async function add(
    command: Command,
    from: CommandSource,
    onResult?: ResultListener,
  ): Promise<QueuedCommand> {
    const id = crypto.randomUUID();
    if (onResult) reports.set(id, onResult);
    const { id: coverage_id, slug } = coverage;
    const created = { ...command, id, person, coverage: coverage_id, slug };
    const queued = await addCommand(created, from);
    if (command.kind === 'auto') return queued;
    await show();
    sender?.sendNow();
    return queued;
  }

  function addAndWait(command: Omit<Command, 'edited'>): Promise<QueuedCommand | undefined> {
    return new Promise((resolve, reject) => {
      const onResult: ResultListener = (result) => {
        stop();
        if (result.state === 'done') return resolve(result);
        const { refusal } = result;
        if (!refusal) return resolve(undefined);
        // The caller still has the input and shows the error.
        void deleteCommand(result.id).then(() => reject(new Refused(refusal)));
      };
      const adding = add({ ...command, edited: null }, { isAfterPending: true }, onResult);
      const stop = whenPaused(
        adding.then(({ id }) => id),
        () => resolve(undefined),
      );
      adding.catch(reject);
    });
  }

  /** @param adding id of the command, once it is stored */
  function whenPaused(adding: Promise<string>, callback: () => void): () => void {
    const stop = onOutboxEvent(async (event) => {
      if (event.type !== 'sending' || event.person !== person || event.command) return;
      const id = await adding;
      if (!event.pauseReason && !(await isBlocked(person, id))) return;
      stop();
      callback();
    });
    adding.then(
      () => {
        if (!sender) callback();
      },
      () => stop(),
    );
    return stop;
  }

  return {
    $commands,
    $pauseReason,
    add,
    addAndWait,
    onPause: (id, callback) => whenPaused(Promise.resolve(id), callback),
    returnDraft: commandToDraft,
    async recall(id) {
      const recalled = await holdCommand(id);
      if (!recalled) return 'late';
      if (!recalled.edited) {
        await deleteCommand(id);
        return 'gone';
      }
      const { before } = recalled.edited as EditedUpdate;
      if (before || recalled.kind === 'summary' || !composer?.isFree()) return 'open';
      const draft = await commandToDraft(id, 'new');
      if (draft) composer.take(draft);
      return 'composer';
    },
    onReturnedDraft(take, isFree) {
      composer = { take, isFree };
      return () => {
        composer = undefined;
      };
    },
    async discard(id) {
      await deleteCommand(id);
    },
    async retry(id) {
      const drafts = await readDrafts(person, coverage.id);
      if (drafts.some(({ scope }) => scope === reopenedScope(id))) return 'open';
      await retryCommand(id);
      sender?.sendNow();
      return 'sent';
    },
    sendNow: () => sender?.sendNow(),
    start() {
      const stopListening = onOutboxEvent((event) => {
        if (event.type === 'device' || event.person !== person) return;
        if (event.type === 'sending') {
          sending = event.command;
          $pauseReason.set(event.pauseReason);
        }
        if (event.type !== 'drafts') void show();
      });
      sender = startSending(person, send);
      void show();
      return () => {
        stopListening();
        clearTimeout(timer);
        sender?.stop();
        sender = undefined;
      };
    },
  };
}

/** Whether a command still waits after everything sendable was sent. */
async function isBlocked(person: string, id: string): Promise<boolean> {
  const commands = await readCommands(person);
  return (
    commands.some((command) => command.id === id && command.state === 'waiting') && !nextCommand(commands)
  );
}

/** Autosaves are not shown. Finished commands are shown for a while. */
function isShown({ kind, state, result }: QueuedCommand, now: number): boolean {
  if (kind === 'auto') return false;
  return state !== 'done' || (result !== null && Math.abs(now - result.at) < RESULT_SHOWN_MS);
}

function viewOf(
  command: QueuedCommand,
  sending: string | null,
  pauseReason: PauseReason | null,
): QueuedCommandView {
  const { id, subject, kind, title, state, attempts, result, refusal } = command;
  const isLive = result?.state === 'published';
  return {
    id,
    subject,
    kind,
    excerpt: title,
    step: stepOf(command, sending),
    pauseReason,
    isUnsent: state === 'waiting' && attempts === 0,
    ...(result?.number ? { number: result.number } : {}),
    ...(refusal ? { refusal } : {}),
    ...(result && isLive && kind === 'publish' ? { undoUntil: result.at + RESULT_SHOWN_MS } : {}),
    ...(kind === 'summary' && command.edited ? { summary: (command.edited as EditedSummary).summary } : {}),
    edited: kind === 'summary' ? null : (command.edited as EditedUpdate | null),
  };
}

function stepOf({ id, state, result }: QueuedCommand, sending: string | null): CommandStep {
  if (state === 'refused' || state === 'held') return 'needs_you';
  if (state === 'done') return result?.state === 'published' ? 'live' : 'with_desk';
  return id === sending ? 'sending' : 'on_device';
}
