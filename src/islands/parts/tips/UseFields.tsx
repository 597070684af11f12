import { useId } from 'react';
import { LIMITS } from '../../../lib/limits.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import { creditOf, type UseForm } from '../../../lib/tips/acts.ts';
import type { QueueTip } from '../../../lib/tips/queue.ts';
import type { Taking } from '../../../lib/tips/queue-read.ts';
import type { TipQueue } from '../../stores/tip-queue.ts';
import { Field } from '../desk/Field.tsx';
import { useShared } from '../desk/useShared.ts';
import type { UseProblems } from './UsePanel.tsx';

type Props = {
  queue: TipQueue;
  tip: QueueTip;
  /** The coverages to choose from; not known yet, without it. */
  taking: Taking[] | undefined;
  form: UseForm;
  change: (form: UseForm) => void;
  problems: UseProblems;
};

/** What is said with a tip when it is used. */
export function UseFields({ queue, tip, taking, form, change, problems }: Props) {
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

type PhotoProps = Pick<Props, 'queue' | 'tip' | 'form' | 'problems'> & {
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
