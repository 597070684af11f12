import { useStore } from '@nanostores/react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Clock, timeRelativeTo } from '../lib/domain/time.ts';
import type { Language } from '../lib/i18n/language.ts';
import { type Feed, startFeed } from './live-feed/feed.ts';
import {
  $alert,
  $announcement,
  $feedState,
  $freshness,
  $held,
  $pauseReasons,
  $reload,
  $urgentBar,
  type FeedMessages,
  feedMessages,
  statusOf,
} from './live-feed/store.ts';

/**
 * Keeps an open live page up to date. It replaces the status line that the server rendered as `children`.
 * @param starts when a coming coverage begins, as the server's line says it
 */
export default function LiveFeed({
  clock,
  starts,
  language = 'en',
  children,
}: {
  clock: Clock;
  starts?: string | undefined;
  /** Language of the messages. */
  language?: Language;
  children: ReactNode;
}) {
  const messages = feedMessages(language);
  const feed = useRef<Feed>(null);
  const feedState = useStore($feedState);
  const held = useStore($held);
  const reload = useStore($reload);
  const announcement = useStore($announcement);
  const alert = useStore($alert);
  const urgentBar = useStore($urgentBar);
  const { every } = useStore($freshness);

  useEffect(() => {
    feed.current = startFeed(clock, messages);
    // Makes the formatters of dates in a task of its own, because the first one takes long on a phone.
    const now = new Date();
    setTimeout(timeRelativeTo, 0, now, now, clock);
    return feed.current.stop;
  }, [clock, messages]);

  return (
    <>
      {feedState === 'starting' ? children : <FeedStatus clock={clock} starts={starts} messages={messages} />}
      {feedState !== 'starting' && (
        <button
          type="button"
          className="feed-link"
          // The hidden button keeps its height, so that nothing below moves up.
          style={{ visibility: ['ended', 'lost'].includes(feedState) ? 'hidden' : undefined }}
          onClick={() => $pauseReasons.setKey('paused', feedState !== 'paused')}
        >
          {feedState === 'paused' ? messages.feed.resume : messages.feed.pause}
        </button>
      )}
      {every > 0 && reload === 'no' && feedState !== 'ended' && feedState !== 'paused' && (
        <span>{messages.feed.every(every)}</span>
      )}
      {urgentBar && (
        <button type="button" className="feed-bar urgent-bar" onClick={() => feed.current?.showUrgent()}>
          {/* A new element for a new text, because a centred text that changes is a layout shift. */}
          <span key={urgentBar}>{messages.feed.urgent(urgentBar)}</span>
        </button>
      )}
      {held > 0 && !urgentBar && (
        <button type="button" className="feed-bar" onClick={() => feed.current?.showHeld()}>
          {messages.feed.held(held)}
        </button>
      )}
      {reload !== 'no' && (
        // A frame opens links in a new tab by default.
        <a className={reload === 'lost' ? 'feed-bar' : 'feed-link'} href={location.pathname} target="_self">
          {messages.feed.reload[reload]}
        </a>
      )}
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
      <p role="alert" className="visually-hidden">
        {alert}
      </p>
    </>
  );
}

type FeedStatusProps = { clock: Clock; starts: string | undefined; messages: FeedMessages };

/** Status line of a followed page. */
function FeedStatus({ clock, starts, messages }: FeedStatusProps) {
  const feedState = useStore($feedState);
  const freshness = useStore($freshness);
  // The server's text of its time, so that the first status line needs no formatter of dates.
  const [made] = useState(() => ({
    checked: freshness.checked,
    text: document.querySelector('#status > :last-child > time')?.textContent,
  }));
  const checkedText = freshness.checked === made.checked ? made.text : null;
  const [is, ...more] = statusOf(messages, feedState, freshness, clock, Date.now(), checkedText);
  if (starts && freshness.state === 'scheduled') more.unshift(starts);
  // The line keeps at least its previous height, so that nothing below moves up.
  const minHeight = document.getElementById('status')?.getBoundingClientRect().height;
  return (
    <p id="status" key={is} style={{ minBlockSize: minHeight }}>
      <strong className={feedState === 'live' ? freshness.state : feedState}>{is}</strong>
      {more.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </p>
  );
}
