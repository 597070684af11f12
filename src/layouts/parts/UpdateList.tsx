import { Fragment } from 'react';
import { renderToString } from 'react-dom/server';
import { playersIn } from '../../islands/update/Player.tsx';
import { DayHeading, UpdateArticle } from '../../islands/update/UpdateArticle.tsx';
import { drawnMapPath } from '../../lib/data/server-bridge.ts';
import { updatePath } from '../../lib/domain/coverages.ts';
import { clockOf, type ReaderCoverage } from '../../lib/domain/reader-coverage.ts';
import { dayKey } from '../../lib/domain/time.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import type { ShownUpdate } from '../../lib/publishing/excerpts.server.ts';

type Props = {
  /** Messages for readers, in the language of the page. */
  messages: Messages['reader'];
  coverage: ReaderCoverage;
  updates: ShownUpdate[];
  /** Whether each update has a link for sharing. */
  canShare: boolean;
  /** Whether the page shows the maps that our server draws. */
  hasMaps: boolean;
};

/**
 * Renders updates as HTML, all at once: Astro would test and render each one as a component of its own, which takes
 * longer than its content.
 */
export const updateListHtml = (props: Props): string => renderToString(<UpdateList {...props} />);

function UpdateList({ messages, coverage, updates, canShare, hasMaps }: Props) {
  const clock = clockOf(coverage);
  const player = playersIn(messages);
  const days = updates.map(({ update }) => dayKey(update.published_at, clock));
  return updates.map(({ update, folding }, index) => {
    const path = updatePath(coverage.slug, update.number);
    return (
      <Fragment key={update.id}>
        {days[index] !== days[index - 1] && <DayHeading at={update.published_at} clock={clock} />}
        <UpdateArticle
          messages={messages}
          update={update}
          folding={folding}
          player={player}
          canShare={canShare}
          href={path}
          mapPicture={hasMaps ? (place) => drawnMapPath(path, place) : undefined}
          {...clock}
        />
      </Fragment>
    );
  });
}
