import { useStore } from '@nanostores/react';
import { type SubmitEvent, useState } from 'react';
import type { DeskCoverage } from '../../../lib/desk/coverage.ts';
import { LIMITS } from '../../../lib/limits.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { Field } from './Field.tsx';
import { TaskNote } from './TaskNote.tsx';

/** As it is typed; what is empty is as on the whole site. */
type Typed = { follow: string; interval: string };

const typedOf = ({ reader_follow, reader_interval }: DeskCoverage): Typed => ({
  follow: reader_follow ?? '',
  interval: reader_interval?.toString() ?? '',
});

/** What is no number is sent as it is: the database says what is wrong with it. */
const secondsOf = (typed: string) => (/^\d+$/.test(typed) ? Number(typed) : typed || null);

const ways = Object.entries(words.following.ways);

/** How readers of this coverage learn of changes. Only what is changed here is sent. */
export function FollowingEditor({ desk }: { desk: Desk }) {
  const coverage = useStore(desk.$coverage);
  const [task] = useState(makeTask);
  const [changed, setChanged] = useState<Partial<Typed>>({});
  const progress = useStore(task.$state);
  const problems =
    progress.step === 'refused' ? { [progress.refusal.field ?? '']: progress.refusal.sentence } : {};
  const { follow, interval } = { ...typedOf(coverage), ...changed };

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const content = { reader_follow: follow || null, reader_interval: secondsOf(interval) };
    const { id, version } = coverage;
    const done = await task.run(() => desk.press('save_coverage', { coverage_id: id, version, content }));
    await desk.refresh();
    if (!done) return;
    setChanged({});
    desk.$said.set(words.following.saved);
  };
  return (
    <details className="following-editor">
      <summary>{words.following.title}</summary>
      <form onSubmit={save} noValidate>
        <Field
          label={words.following.follow}
          help={words.following.followHelp}
          problem={problems.reader_follow}
        >
          {(control) => (
            <select
              {...control}
              value={follow}
              onChange={(event) => setChanged({ ...changed, follow: event.target.value })}
            >
              <option value="">{words.following.asSite}</option>
              {ways.map(([way, name]) => (
                <option key={way} value={way}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label={words.following.interval}
          help={words.following.intervalHelp(LIMITS.reader_interval_min, LIMITS.reader_interval_max)}
          problem={problems.reader_interval}
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              value={interval}
              onChange={(event) => setChanged({ ...changed, interval: event.target.value.trim() })}
            />
          )}
        </Field>
        <TaskNote state={progress} slug={coverage.slug} />
        <div className="actions">
          <button type="submit">{words.following.save}</button>
        </div>
      </form>
    </details>
  );
}
