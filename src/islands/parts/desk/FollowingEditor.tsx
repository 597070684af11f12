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

const { reader_interval_min: LEAST, reader_interval_max: MOST } = LIMITS;

const isInterval = (seconds: number) => Number.isInteger(seconds) && seconds >= LEAST && seconds <= MOST;

const ways = Object.entries(words.following.ways);

/** How readers of this coverage learn of changes. */
export function FollowingEditor({ desk }: { desk: Desk }) {
  const coverage = useStore(desk.$coverage);
  const [task] = useState(makeTask);
  const [changed, setChanged] = useState<Partial<Typed>>({});
  const [problem, setProblem] = useState<string>();
  const progress = useStore(task.$state);
  const { follow, interval } = { ...typedOf(coverage), ...changed };

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const seconds = interval === '' ? null : Number(interval);
    const isWrong = seconds !== null && !isInterval(seconds);
    setProblem(isWrong ? words.following.intervalWrong(LEAST, MOST) : undefined);
    if (isWrong) return;
    const content = { reader_follow: follow || null, reader_interval: seconds };
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
        <Field label={words.following.follow} help={words.following.followHelp}>
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
          help={words.following.intervalHelp(LEAST, MOST)}
          problem={problem}
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
