import { type SubmitEvent, useCallback, useEffect, useState } from 'react';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { formOfTip, type UseForm } from '../../../lib/tips/acts.ts';
import { readTaking, type Taking } from '../../../lib/tips/queue-read.ts';
import { openDraftStore } from '../../browser/kept-work.ts';
import { makeTask } from '../../stores/task.ts';
import { doToTip, noteMade } from '../../stores/tip-acts.ts';
import { CloseButton } from '../desk/CloseButton.tsx';
import { OpenElsewhereNote } from '../desk/OpenElsewhere.tsx';
import { Panel } from '../desk/Panel.tsx';
import { TaskNote } from '../desk/TaskNote.tsx';
import { useFresh } from '../desk/useFresh.ts';
import { clearDraftAt, useDraftIn } from '../desk/useKept.ts';
import { useShared } from '../desk/useShared.ts';
import type { TipPanelProps } from './HandOverPanel.tsx';
import { nameOfTip } from './naming.ts';
import { Quicker } from './Quicker.tsx';
import { UseFields } from './UseFields.tsx';
import { UsePreview } from './UsePreview.tsx';
import { useLate } from './useLate.ts';

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
