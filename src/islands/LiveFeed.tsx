import { useStore } from '@nanostores/react';
import { type ReactNode, useEffect, useRef } from 'react';
import { feed as messages } from '../lib/text/feed.ts';
import type { Clock } from '../lib/time/clock.ts';
import { type Feed, startFeed } from './browser/feed.ts';
import { FeedStatus } from './parts/FeedStatus.tsx';
import { $announcement, $feedState, $freshness, $held, $pauseReasons, $reload } from './stores/feed.ts';

/**
 * Keeps an open live page up to date. It stands in for the status line, which the server rendered as `children`
 * and which stays until the page is followed.
 * @param starts when a coverage begins that has not, as the server's line says it
 */
export default function LiveFeed({
  clock,
  starts,
  children,
}: {
  clock: Clock;
  starts?: string | undefined;
  children: ReactNode;
}) {
  const feed = useRef<Feed>(null);
  const feedState = useStore($feedState);
  const held = useStore($held);
  const reload = useStore($reload);
  const announcement = useStore($announcement);
  const { every } = useStore($freshness);

  useEffect(() => {
    feed.current = startFeed(clock);
    return feed.current.stop;
  }, [clock]);

  return (
    <>
      {feedState === 'starting' ? children : <FeedStatus clock={clock} starts={starts} />}
      {feedState !== 'starting' && (
        <button
          type="button"
          className="feed-link"
          // Where there is nothing to pause any more, its row stays: nothing below moves up.
          style={{ visibility: ['ended', 'lost'].includes(feedState) ? 'hidden' : undefined }}
          onClick={() => $pauseReasons.setKey('paused', feedState !== 'paused')}
        >
          {feedState === 'paused' ? messages.resume : messages.pause}
        </button>
      )}
      {every > 0 && reload === 'no' && feedState !== 'ended' && feedState !== 'paused' && (
        <span>{messages.every(every)}</span>
      )}
      {held > 0 && (
        <button type="button" className="feed-bar" onClick={() => feed.current?.showHeld()}>
          {messages.held(held)}
        </button>
      )}
      {reload !== 'no' && (
        // In a frame all else opens beside it.
        <a className={reload === 'lost' ? 'feed-bar' : 'feed-link'} href={location.pathname} target="_self">
          {messages.reload[reload]}
        </a>
      )}
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
    </>
  );
}
