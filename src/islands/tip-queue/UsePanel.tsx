import { type SubmitEvent, useCallback, useEffect, useId, useState } from 'react';
import { creditOf, formOfTip, type UseForm } from '../../lib/data/tip-actions.ts';
import { type QueueTip, readTaking, type Taking } from '../../lib/data/tip-queue.ts';
import type { Block } from '../../lib/domain/body/blocks.ts';
import { LIMITS } from '../../lib/domain/limits.ts';
import { tipQueue as messages } from '../../lib/i18n/tip-queue.ts';
import { CloseButton, Field, Panel, TaskNote } from '../desk/controls.tsx';
import { useFresh, useShared } from '../desk/hooks.ts';
import { makeTask } from '../desk/task.ts';
import { openDraftStore } from '../editor/draft-store.ts';
import { clearDraftAt, OpenElsewhereNote, useDraftIn } from '../editor/open-editors.tsx';
import { Body } from '../update/Body.tsx';
import { doToTip, noteMade } from './actions.ts';
import { nameOfTip, useLate } from './hooks.ts';
import { Quicker, type TipPanelProps } from './panels.tsx';
import type { TipQueue } from './tip-queue.ts';

type UseFieldsProps = {
  queue: TipQueue;
  tip: QueueTip;
  /** The coverages to choose from; not known yet, without it. */
  taking: Taking[] | undefined;
  form: UseForm;
  change: (form: UseForm) => void;
  problems: UseProblems;
};

/** What is said with a tip when it is used. */
export function UseFields({ queue, tip, taking, form, change, problems }: UseFieldsProps) {
  const put = (part: Partial<UseForm>) => change({ ...form, ...part });
  const choices = taking ?? (tip.coverage ? [tip.coverage] : []);
  return (
    <>
      {taking?.length === 0 && <p className="refused">{messages.use.noneTakes}</p>}
      <Field label={messages.use.coverage} problem={problems.coverage}>
        {(control) => (
          <select
            {...control}
            value={form.coverage}
            onChange={(event) => put({ coverage: event.target.value })}
          >
            {!choices.some(({ id }) => id === form.coverage) && (
              <option value="">{messages.use.choose}</option>
            )}
            {choices.map(({ id, headline }) => (
              <option key={id} value={id}>
                {headline}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={messages.use.headline} problem={problems.headline}>
        {(control) => (
          <input
            {...control}
            value={form.headline}
            dir="auto"
            maxLength={LIMITS.update_headline}
            onChange={(event) => put({ headline: event.target.value })}
          />
        )}
      </Field>
      <Field label={messages.use.intro} problem={problems.intro}>
        {(control) => (
          <textarea
            {...control}
            rows={2}
            dir="auto"
            value={form.intro}
            onChange={(event) => put({ intro: event.target.value })}
          />
        )}
      </Field>
      <Field label={messages.use.quote} help={messages.use.quoteHelp} problem={problems.quote}>
        {(control) => (
          <textarea
            {...control}
            rows={4}
            dir="auto"
            required
            value={form.quote}
            onChange={(event) => put({ quote: event.target.value })}
          />
        )}
      </Field>
      <p className="help">{creditSaid(tip)}</p>
      {tip.photo?.state === 'ready' && (
        <PhotoFields queue={queue} tip={tip} photo={tip.photo.id} form={form} put={put} problems={problems} />
      )}
    </>
  );
}

function creditSaid(tip: QueueTip): string {
  const credit = creditOf(tip);
  if (credit) return messages.use.credit(credit);
  return tip.name ? messages.use.noCredit : messages.use.noName;
}

type PhotoProps = Pick<UseFieldsProps, 'queue' | 'tip' | 'form' | 'problems'> & {
  photo: string;
  put: (part: Partial<UseForm>) => void;
};

/** Whether the photo goes with it, what it shows, and its caption: nobody takes one in who has not looked at it. */
function PhotoFields({ queue, tip, photo, form, put, problems }: PhotoProps) {
  const isSeen = useShared(queue.$seen).has(photo);
  const unseen = useId();
  const credit = creditOf(tip);
  return (
    <fieldset className="bare">
      <p className="field check">
        <label>
          <input
            type="checkbox"
            checked={form.withPhoto}
            disabled={!isSeen && !form.withPhoto}
            aria-describedby={isSeen ? undefined : unseen}
            onChange={(event) => put({ withPhoto: event.target.checked })}
          />{' '}
          {messages.use.photo}
        </label>
        {!isSeen && (
          <span className={problems.photo ? 'problem' : 'help'} id={unseen}>
            {messages.use.photoUnseen}
          </span>
        )}
      </p>
      {form.withPhoto && (
        <>
          <Field label={messages.use.alt} help={messages.use.altHelp} problem={problems.alt}>
            {(control) => (
              <textarea
                {...control}
                rows={2}
                dir="auto"
                required
                maxLength={LIMITS.alt}
                value={form.alt}
                onChange={(event) => put({ alt: event.target.value })}
              />
            )}
          </Field>
          <Field label={messages.use.caption} problem={problems.caption}>
            {(control) => (
              <textarea
                {...control}
                rows={2}
                dir="auto"
                maxLength={LIMITS.caption}
                value={form.caption}
                onChange={(event) => put({ caption: event.target.value })}
              />
            )}
          </Field>
          {credit && <p className="help">{messages.use.photoCredit(credit)}</p>}
        </>
      )}
    </fieldset>
  );
}

type UsePreviewProps = {
  tip: QueueTip;
  form: UseForm;
  /** That of the coverage it is for. */
  language: string | undefined;
};

/** The words of the update, as the database makes them of what was typed. */
export function UsePreview({ tip, form: { headline, intro, quote }, language }: UsePreviewProps) {
  const credit = creditOf(tip);
  const body: Block[] = [
    ...intro
      .split('\n')
      .filter((line) => line.trim())
      .map((line): Block => ({ type: 'paragraph', runs: [{ text: line.trim() }] })),
    ...(quote.trim()
      ? [{ type: 'quote' as const, text: quote.trim(), ...(credit ? { attribution: credit } : {}) }]
      : []),
  ];
  if (body.length === 0) return null;
  return (
    <section className="tip-preview">
      <h4>{messages.use.asRead}</h4>
      <div className="body" lang={language} dir="auto">
        {headline.trim() && (
          <p>
            <b>{headline.trim()}</b>
          </p>
        )}
        <Body body={body} />
      </div>
    </section>
  );
}

/** What is typed over tips is kept apart from what is typed at a desk. */
const KEPT_IN = 'tips';
const placeOf = (id: string) => `use/${id}`;

export type UseProblems = Partial<
  Record<'coverage' | 'quote' | 'intro' | 'headline' | 'photo' | 'alt' | 'caption', string>
>;

/** Makes a submitted update of a tip: what is quoted, what stands before it, its photo. What is typed is kept on this device. */
export function UsePanel({ queue, tip, onClose }: TipPanelProps) {
  const [kept] = useState(() => openDraftStore(queue.me.id, KEPT_IN, placeOf(tip.id)));
  const [empty] = useState(() => formOfTip(tip, crypto.randomUUID()));
  const { form: typed, change } = useDraftIn<UseForm>(kept, tip.id, empty);
  const [problems, setProblems] = useState<UseProblems>({});
  const [loading] = useState(makeTask);
  const [task] = useState(makeTask);
  const [taking, setTaking] = useState<Taking[]>();
  const load = useCallback(async () => setTaking(await queue.backend.read(readTaking)), [queue]);
  useFresh(loading, 'taking', load);
  const loaded = useLate(loading);
  const state = useLate(task);
  const refused = useShared(task.$state);
  const form = withCoverage(typed, taking);
  const into = taking?.find(({ id }) => id === form.coverage);

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const isSeen = tip.photo !== null && queue.$seen.get().has(tip.photo.id);
    const wrong = problemsOf(form, taking, isSeen);
    setProblems(wrong);
    if (Object.keys(wrong).length > 0) return;
    const where = into ?? tip.coverage;
    if (!where) return;
    if (await task.run(() => doToTip(queue, tip, { act: 'use', form, into: where }))) await end();
  };
  const end = useCallback(async () => {
    await kept.delete();
    await clearDraftAt(queue.me.id, KEPT_IN, placeOf(tip.id));
    queue.$open.set(null);
  }, [kept, queue, tip.id]);
  // The answer may have been lost: what was made of the tip tells that it was this very press.
  const isMade = tip.used?.update_id === form.update;
  const { step } = refused;
  useEffect(() => {
    if (!isMade || step !== 'refused') return;
    noteMade(queue, tip);
    void end();
  }, [queue, tip, isMade, step, end]);
  const all = { ...fieldOf(refused.step === 'refused' ? refused.refusal : null), ...problems };
  return (
    <Panel onClose={onClose}>
      <h3 tabIndex={-1} data-first>
        {messages.use.title}
      </h3>
      <OpenElsewhereNote desk={queue} id={tip.id} />
      <form onSubmit={send} noValidate>
        <TaskNote state={loaded} slug={queue.place} />
        <UseFields queue={queue} tip={tip} taking={taking} form={form} change={change} problems={all} />
        <UsePreview tip={tip} form={form} language={into?.language} />
        <Quicker queue={queue} tip={tip} state={state} hasWords />
        <p className="help">{messages.use.sendHelp}</p>
        <div className="actions">
          <button type="submit" className="main">
            {messages.use.send}
          </button>
          <CloseButton about={nameOfTip(tip)} onClose={onClose} />
        </div>
      </form>
    </Panel>
  );
}

/** Where there is one coverage alone that it can be for, that is it. */
function withCoverage(form: UseForm, taking: Taking[] | undefined): UseForm {
  if (!taking || taking.some(({ id }) => id === form.coverage)) return form;
  const [only, another] = taking;
  return { ...form, coverage: only && !another ? only.id : '' };
}

/** What the newsroom would refuse, told before it is asked. */
function problemsOf(
  { coverage, quote, withPhoto, alt }: UseForm,
  taking: Taking[] | undefined,
  isSeen: boolean,
): UseProblems {
  const { problems, photoUnseen } = messages.use;
  return {
    ...(coverage === '' || taking?.length === 0 ? { coverage: problems.coverage } : {}),
    ...(quote.trim() === '' ? { quote: problems.quote } : {}),
    ...(withPhoto && !isSeen ? { photo: photoUnseen } : {}),
    ...(withPhoto && alt.trim() === '' ? { alt: problems.alt } : {}),
  };
}

/** What was refused, at the field that it is about. */
function fieldOf(refusal: { field?: string; sentence: string } | null): UseProblems {
  const names = ['coverage', 'quote', 'intro', 'headline', 'photo', 'alt', 'caption'] as const;
  const name = names.find((one) => refusal?.field === one);
  return name && refusal ? { [name]: refusal.sentence } : {};
}
