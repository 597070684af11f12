import { type SubmitEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import {
  creditOf,
  type OpenCoverage,
  type QueueTip,
  readOpenCoverages,
  type TipUseForm,
  tipUseForm,
} from '../../lib/data/tip-queue.ts';
import type { Block } from '../../lib/domain/body/blocks.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import { deskPhotoPath, PHOTO_WIDTHS } from '../../lib/domain/photos.ts';
import { type Refusal, sentenceOf } from '../../lib/i18n/refusals.ts';
import { CloseButton, Panel, RefusalNote, TaskNote } from '../desk/controls.tsx';
import { useReload } from '../desk/hooks.ts';
import { type DeskMessages, messagesIn, useMessages } from '../desk/messages.tsx';
import { makeTask, type TaskState } from '../desk/task.ts';
import { openDraftStore } from '../editor/draft-store.ts';
import { clearDraftAt, OpenElsewhereNote, useDraftIn } from '../editor/open-editors.tsx';
import { Field } from '../shared/Field.tsx';
import { useShared } from '../shared/use-shared.ts';
import { BodyBlocks, PhotoCaption } from '../update/BodyBlocks.tsx';
import { addMadeUpdate, runTipAction } from './actions.ts';
import { tipLabel, useDelayedState } from './hooks.ts';
import { type TipPanelProps, TipTaskNote } from './panels.tsx';
import type { TipQueueStore } from './tip-queue.ts';

type UseFieldsProps = {
  queue: TipQueueStore;
  tip: QueueTip;
  /** Coverages to choose from; undefined while they are loading. */
  coverages: OpenCoverage[] | undefined;
  form: TipUseForm;
  change: (form: TipUseForm) => void;
  problems: UseProblems;
};

/** Fields of the update that is made from a tip. */
function UseFields({ queue, tip, coverages, form, change, problems }: UseFieldsProps) {
  const messages = useMessages();
  const changePart = (part: Partial<TipUseForm>) => change({ ...form, ...part });
  const choices = coverages ?? (tip.coverage ? [tip.coverage] : []);
  return (
    <>
      {coverages?.length === 0 && <p className="refused">{messages.tipQueue.use.noneTakes}</p>}
      <Field label={messages.tipQueue.use.coverage} problem={problems.coverage}>
        {(control) => (
          <select
            {...control}
            value={form.coverage}
            onChange={(event) => changePart({ coverage: event.target.value })}
          >
            {!choices.some(({ id }) => id === form.coverage) && (
              <option value="">{messages.tipQueue.use.choose}</option>
            )}
            {choices.map(({ id, headline }) => (
              <option key={id} value={id}>
                {headline}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={messages.tipQueue.use.headline} problem={problems.headline}>
        {(control) => (
          <input
            {...control}
            value={form.headline}
            dir="auto"
            maxLength={LIMITS.update_headline}
            onChange={(event) => changePart({ headline: event.target.value })}
          />
        )}
      </Field>
      <Field label={messages.tipQueue.use.intro} problem={problems.intro}>
        {(control) => (
          <textarea
            {...control}
            rows={2}
            dir="auto"
            value={form.intro}
            onChange={(event) => changePart({ intro: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={messages.tipQueue.use.quote}
        help={messages.tipQueue.use.quoteHelp}
        problem={problems.quote}
      >
        {(control) => (
          <textarea
            {...control}
            rows={4}
            dir="auto"
            required
            value={form.quote}
            onChange={(event) => changePart({ quote: event.target.value })}
          />
        )}
      </Field>
      <p className="help">{creditText(messages, tip)}</p>
      {tip.photo?.state === 'ready' && (
        <PhotoFields
          queue={queue}
          tip={tip}
          photo={tip.photo.id}
          form={form}
          changePart={changePart}
          problems={problems}
        />
      )}
    </>
  );
}

function creditText(messages: DeskMessages, tip: QueueTip): string {
  const credit = creditOf(tip);
  if (credit) return messages.tipQueue.use.credit(credit);
  return tip.name ? messages.tipQueue.use.noCredit : messages.tipQueue.use.noName;
}

type PhotoProps = Pick<UseFieldsProps, 'queue' | 'tip' | 'form' | 'problems'> & {
  photo: string;
  changePart: (part: Partial<TipUseForm>) => void;
};

/** Whether to include the photo, with alt text and caption. A photo can be included only after it was viewed. */
function PhotoFields({ queue, tip, photo, form, changePart, problems }: PhotoProps) {
  const messages = useMessages();
  const isSeen = useShared(queue.$seen).has(photo);
  const unseenId = useId();
  const credit = creditOf(tip);
  return (
    <fieldset className="bare">
      <p className="field check">
        <label>
          <input
            type="checkbox"
            checked={form.withPhoto}
            disabled={!isSeen && !form.withPhoto}
            aria-describedby={isSeen ? undefined : unseenId}
            onChange={(event) => changePart({ withPhoto: event.target.checked })}
          />{' '}
          {messages.tipQueue.use.photo}
        </label>
        {!isSeen && (
          <span className={problems.photo ? 'problem' : 'help'} id={unseenId}>
            {messages.tipQueue.use.photoUnseen}
          </span>
        )}
      </p>
      {form.withPhoto && (
        <>
          <Field
            label={messages.tipQueue.use.alt}
            help={messages.tipQueue.use.altHelp}
            problem={problems.alt}
          >
            {(control) => (
              <textarea
                {...control}
                rows={2}
                dir="auto"
                required
                maxLength={LIMITS.alt}
                value={form.alt}
                onChange={(event) => changePart({ alt: event.target.value })}
              />
            )}
          </Field>
          <Field label={messages.tipQueue.use.caption} problem={problems.caption}>
            {(control) => (
              <textarea
                {...control}
                rows={2}
                dir="auto"
                maxLength={LIMITS.caption}
                value={form.caption}
                onChange={(event) => changePart({ caption: event.target.value })}
              />
            )}
          </Field>
          {credit && <p className="help">{messages.tipQueue.use.photoCredit(credit)}</p>}
        </>
      )}
    </fieldset>
  );
}

type UsePreviewProps = {
  tip: QueueTip;
  form: TipUseForm;
  /** Language of the chosen coverage. */
  language: string | undefined;
};

/** Preview of the update that the database will create. */
function UsePreview({ tip, form, language }: UsePreviewProps) {
  const messages = useMessages();
  const { headline, intro, quote, withPhoto, alt, caption } = form;
  const credit = creditOf(tip);
  const photo = withPhoto ? tip.photo : null;
  const body: Block[] = [
    ...intro
      .split('\n')
      .filter((line) => line.trim())
      .map((line): Block => ({ type: 'paragraph', runs: [{ text: line.trim() }] })),
    ...(quote.trim()
      ? [{ type: 'quote' as const, text: quote.trim(), ...(credit ? { attribution: credit } : {}) }]
      : []),
    ...(photo ? [{ type: 'photo' as const, photo: photo.id }] : []),
  ];
  if (body.length === 0) return null;
  return (
    <section className="tip-preview">
      <h4>{messages.tipQueue.use.asRead}</h4>
      <div className="body" lang={language} dir="auto">
        {headline.trim() && (
          <p>
            <b>{headline.trim()}</b>
          </p>
        )}
        <BodyBlocks
          messages={messagesIn(messages, language ?? messages.language).reader}
          body={body}
          photo={(id) => (
            <figure className="photo">
              <img
                src={deskPhotoPath(id, PHOTO_WIDTHS[0])}
                alt={alt}
                width={photo?.width ?? undefined}
                height={photo?.height ?? undefined}
              />
              <PhotoCaption
                messages={messagesIn(messages, language ?? messages.language).reader}
                caption={caption.trim() || null}
                credit={credit}
              />
            </figure>
          )}
        />
      </div>
    </section>
  );
}

/** Stores drafts of the tip queue separately from drafts of desks. */
const DRAFT_COVERAGE = 'tips';
const draftScope = (id: string) => `use/${id}`;

type UseProblems = Partial<
  Record<'coverage' | 'quote' | 'intro' | 'headline' | 'photo' | 'alt' | 'caption', string>
>;

/** Makes a submitted update from a tip: quotation, introduction and photo. Input is stored on this device. */
export function UsePanel({ queue, tip, onClose }: TipPanelProps) {
  const messages = useMessages();
  const [draftStore] = useState(() => openDraftStore(queue.me.id, DRAFT_COVERAGE, draftScope(tip.id)));
  const [empty] = useState(() => tipUseForm(tip, crypto.randomUUID()));
  const { form: typed, change } = useDraftIn<TipUseForm>(draftStore, tip.id, empty);
  const [problems, setProblems] = useState<UseProblems>({});
  const [loading] = useState(makeTask);
  const [task] = useState(makeTask);
  const [coverages, setCoverages] = useState<OpenCoverage[]>();
  const load = useCallback(async () => setCoverages(await queue.backend.read(readOpenCoverages)), [queue]);
  useReload(loading, 'taking', load);
  const loaded = useDelayedState(loading);
  const state = useDelayedState(task);
  const refused = useShared(task.$state);
  const form = withCoverage(typed, coverages);
  const coverage = coverages?.find(({ id }) => id === form.coverage);
  /** The form of the first attempt without an answer, as JSON. */
  const sent = useRef<string>(undefined);
  /** The lost answer of an attempt that has succeeded with an earlier form. */
  const [lost, setLost] = useState<TaskState>();

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const isSeen = tip.photo !== null && queue.$seen.get().has(tip.photo.id);
    const newProblems = problemsOf(messages, form, coverages, isSeen);
    setProblems(newProblems);
    if (Object.keys(newProblems).length > 0) return;
    const target = coverage ?? tip.coverage;
    if (!target) return;
    if (!sent.current || !queue.unanswered.has(tip.id)) sent.current = JSON.stringify(form);
    if (await task.run(() => runTipAction(messages, queue, tip, { kind: 'use', form, coverage: target })))
      await finish();
  };
  const finish = useCallback(async () => {
    await draftStore.delete();
    await clearDraftAt(queue.me.id, DRAFT_COVERAGE, draftScope(tip.id));
    queue.$open.set(null);
  }, [draftStore, queue, tip.id]);
  // After a lost answer, the tip's update id shows that this attempt succeeded.
  const isMade = tip.used_in?.update_id === form.update;
  useEffect(() => {
    if (!isMade || refused.step !== 'refused') return;
    if (JSON.stringify(form) === sent.current) {
      addMadeUpdate(messages, queue, tip);
      void finish();
      return;
    }
    setLost(refused);
    // Once the tip is reopened, the kept text makes another update.
    change({ ...form, update: crypto.randomUUID() });
  }, [queue, tip, isMade, refused, form, change, finish, messages]);
  const allProblems = {
    ...fieldOf(messages, refused.step === 'refused' ? refused.refusal : null),
    ...problems,
  };
  return (
    <Panel onClose={onClose}>
      <h3 tabIndex={-1} data-first>
        {messages.tipQueue.use.title}
      </h3>
      <OpenElsewhereNote presence={queue.presence} id={tip.id} />
      <form onSubmit={send} noValidate>
        <TaskNote state={loaded} slug={queue.deskPath} />
        <UseFields
          queue={queue}
          tip={tip}
          coverages={coverages}
          form={form}
          change={change}
          problems={allProblems}
        />
        <UsePreview tip={tip} form={form} language={coverage?.language} />
        {refused.step === 'refused' && refused === lost ? (
          <RefusalNote
            refusal={refused.refusal}
            sentence={messages.tipQueue.use.madeEarlier}
            slug={queue.deskPath}
          />
        ) : (
          <TipTaskNote queue={queue} tip={tip} state={state} hasInput />
        )}
        <p className="help">{messages.tipQueue.use.sendHelp}</p>
        <div className="actions">
          <button type="submit" className="main">
            {messages.tipQueue.use.send}
          </button>
          <CloseButton about={tipLabel(tip)} onClose={onClose} />
        </div>
      </form>
    </Panel>
  );
}

/** Preselects the coverage if there is only one. */
function withCoverage(form: TipUseForm, coverages: OpenCoverage[] | undefined): TipUseForm {
  if (!coverages || coverages.some(({ id }) => id === form.coverage)) return form;
  const [only, another] = coverages;
  return { ...form, coverage: only && !another ? only.id : '' };
}

/** Problems that the database would report. */
function problemsOf(
  messages: DeskMessages,
  { coverage, quote, withPhoto, alt }: TipUseForm,
  coverages: OpenCoverage[] | undefined,
  isSeen: boolean,
): UseProblems {
  const { problems, photoUnseen } = messages.tipQueue.use;
  return {
    ...(coverage === '' || coverages?.length === 0 ? { coverage: problems.coverage } : {}),
    ...(quote.trim() === '' ? { quote: problems.quote } : {}),
    ...(withPhoto && !isSeen ? { photo: photoUnseen } : {}),
    ...(withPhoto && alt.trim() === '' ? { alt: problems.alt } : {}),
  };
}

/** The error assigned to its field. */
function fieldOf(messages: DeskMessages, refusal: Refusal | null): UseProblems {
  const names = ['coverage', 'quote', 'intro', 'headline', 'photo', 'alt', 'caption'] as const;
  const name = names.find((one) => refusal?.field === one);
  return name && refusal ? { [name]: sentenceOf(refusal, messages) } : {};
}
