import { useStore } from '@nanostores/react';
import { type SubmitEvent, useState } from 'react';
import type { DeskCoverage } from '../../../lib/desk/coverage.ts';
import { LIMITS } from '../../../lib/limits.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { makeCoverageForm } from '../../stores/coverage-form.ts';
import type { Desk } from '../../stores/desk.ts';
import { Field } from './Field.tsx';
import { TaskNote } from './TaskNote.tsx';

/** As it is typed; what is empty is as on the whole site. */
type Typed = { follow: string; interval: string };

const typedOf = ({ reader_follow, reader_interval }: DeskCoverage): Typed => ({
  follow: reader_follow ?? '',
  interval: reader_interval?.toString() ?? '',
});

const contentOf = ({ follow, interval }: Typed) => ({
  reader_follow: follow || null,
  reader_interval: interval === '' ? null : Number(interval),
});

const { reader_interval_min: LEAST, reader_interval_max: MOST } = LIMITS;

const isInterval = (seconds: number) => Number.isInteger(seconds) && seconds >= LEAST && seconds <= MOST;

const ways = Object.entries(words.following.ways);

/** How readers of this coverage learn of changes. */
export function FollowingEditor({ desk }: { desk: Desk }) {
  const coverage = useStore(desk.$coverage);
  const [form] = useState(() => makeCoverageForm(desk, typedOf));
  const [problem, setProblem] = useState<string>();
  const progress = useStore(form.$state);
  const typed = useStore(form.$typed);
  const { follow, interval } = typed;
  const { asSite, stands } = words.following;
  const { reader_follow: way } = coverage;

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const isWrong = interval !== '' && !isInterval(Number(interval));
    setProblem(isWrong ? words.following.intervalWrong(LEAST, MOST) : undefined);
    if (isWrong) return;
    await form.save(
      (typed, seen) => desk.press('save_coverage', { ...seen, content: contentOf(typed) }),
      words.following.saved,
    );
  };
  return (
    <details className="following-editor">
      <summary>{words.following.title}</summary>
      <p className="help">{stands(way ? words.following.ways[way] : asSite, coverage.reader_interval)}</p>
      <form onSubmit={save} noValidate>
        <Field label={words.following.follow} help={words.following.followHelp}>
          {(control) => (
            <select
              {...control}
              value={follow}
              onChange={(event) => form.type({ ...typed, follow: event.target.value })}
            >
              <option value="">{asSite}</option>
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
              onChange={(event) => form.type({ ...typed, interval: event.target.value.trim() })}
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
