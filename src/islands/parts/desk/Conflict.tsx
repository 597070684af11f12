import { formOf, type UpdateForm } from '../../../lib/desk/form.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { Body } from '../Body.tsx';

type Props = {
  theirs: DeskUpdate;
  mine: UpdateForm;
  /** Goes on over their version with these words. */
  choose: (theirs: DeskUpdate, form: UpdateForm) => void;
};

/** Somebody saved meanwhile: both versions, and three ways on. Nothing is saved by choosing. */
export function Conflict({ theirs, mine, choose }: Props) {
  const saved = formOf(theirs);
  const both = { ...mine, body: `${saved.body}\n\n${mine.body}` };
  return (
    <section className="conflict" aria-label={words.conflict.title}>
      <div>
        <h3>{words.conflict.theirs(theirs.version)}</h3>
        {theirs.headline && (
          <p>
            <b>{theirs.headline}</b>
          </p>
        )}
        <Body body={theirs.body} />
      </div>
      <div>
        <h3>{words.conflict.mine}</h3>
        {mine.headline && (
          <p>
            <b>{mine.headline}</b>
          </p>
        )}
        <pre>{mine.body}</pre>
      </div>
      <div className="actions">
        <button type="button" onClick={() => choose(theirs, mine)}>
          {words.conflict.keepMine}
        </button>
        <button type="button" onClick={() => choose(theirs, both)}>
          {words.conflict.both}
        </button>
        <button type="button" onClick={() => choose(theirs, saved)}>
          {words.conflict.takeTheirs}
        </button>
      </div>
    </section>
  );
}
