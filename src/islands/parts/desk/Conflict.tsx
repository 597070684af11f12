import type { ReactNode } from 'react';
import { bodyOf, bothForms, formOf, type UpdateForm } from '../../../lib/desk/form.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { composer } from '../../../lib/text/composer.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { Difference, TextDifference } from './Difference.tsx';

type Props = {
  theirs: DeskUpdate;
  /** The coverage's. */
  timeZone: string;
  /** Of the words: the coverage's. */
  language: string;
  mine: UpdateForm;
  /** Goes on over their version with these words. */
  choose: (theirs: DeskUpdate, form: UpdateForm) => void;
};

/**
 * Somebody saved meanwhile: both versions, what the one has and the other has not, and three ways on. Nothing is saved by
 * choosing, and what is not chosen can be brought back.
 */
export function Conflict({ theirs, timeZone, language, mine, choose }: Props) {
  const saved = formOf(theirs, timeZone);
  const sides = [
    { only: 'removed', title: words.conflict.theirs(theirs.version) },
    { only: 'added', title: words.conflict.mine },
  ] as const;
  return (
    <section className="conflict" aria-label={words.conflict.title}>
      <div className="sides">
        {sides.map(({ only, title }) => (
          <div key={only}>
            <h3>{title}</h3>
            <Line before={saved.headline} after={mine.headline} language={language} only={only} isHead />
            <Difference before={theirs.body} after={bodyOf(mine, theirs)} language={language} only={only} />
            {(['attribution', 'dateline', 'desk_note'] as const).map((field) => (
              <Line
                key={field}
                label={composer[field]}
                before={saved[field]}
                after={mine[field]}
                language={language}
                only={only}
              />
            ))}
          </div>
        ))}
      </div>
      <div className="actions">
        <button type="button" onClick={() => choose(theirs, mine)}>
          {words.conflict.keepMine}
        </button>
        <button type="button" onClick={() => choose(theirs, withBoth(saved, mine))}>
          {words.conflict.both}
        </button>
        <button type="button" onClick={() => choose(theirs, saved)}>
          {words.conflict.takeTheirs}
        </button>
      </div>
    </section>
  );
}

type LineProps = {
  label?: string;
  before: string;
  after: string;
  language: string;
  only: 'added' | 'removed';
  isHead?: boolean;
};

/** A field of one line as one side has it. What both have alike is told only where it is the head of the words. */
function Line({ label, before, after, language, only, isHead = false }: LineProps): ReactNode {
  const own = only === 'added' ? after : before;
  if (own === '' || (!isHead && before === after)) return null;
  const text = <TextDifference before={before} after={after} language={language} only={only} />;
  return (
    <p>
      {label && <span className="label">{label} </span>}
      <span lang={language}>{isHead ? <b>{text}</b> : text}</span>
    </p>
  );
}

/** Every word of both: a field holds one text, so theirs stands above the words where mine is another. */
function withBoth(saved: UpdateForm, mine: UpdateForm): UpdateForm {
  const both = bothForms(saved, mine);
  const lost = (['headline', 'attribution', 'dateline'] as const)
    .filter((field) => saved[field] !== '' && saved[field] !== mine[field])
    .map((field) => (mine[field] === '' ? { field, line: '' } : { field, line: `${saved[field]}\n\n` }));
  const kept = Object.fromEntries(
    lost.filter(({ line }) => line === '').map(({ field }) => [field, saved[field]]),
  );
  const notes = [saved.desk_note, mine.desk_note].filter(
    (note, index, all) => note && all.indexOf(note) === index,
  );
  return {
    ...both,
    ...kept,
    desk_note: notes.join('\n\n'),
    body: lost.map(({ line }) => line).join('') + both.body,
  };
}
