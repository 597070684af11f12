import type { ReactNode } from 'react';
import { playerOf } from '../../lib/domain/body/media.ts';
import { type MediaFile, mediaFileOf } from '../../lib/domain/media-files.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import type { DrawPlayer } from './BodyBlocks.tsx';

type PlayerMessages = Messages['reader']['player'];

/**
 * Renders players for readers: the poster or an empty frame with the player's size, and the button that loads it. The
 * button replaces the link where a script may put the player into the frame (live-feed/players.ts). Nothing is loaded
 * before it is pressed. A file of the newsroom has a link, which plays it in the page where the script runs.
 */
export const playersIn =
  ({ player: messages }: Messages['reader']): DrawPlayer =>
  (url, poster) => {
    const file = mediaFileOf(url);
    if (file) return <FilePlayer messages={messages} url={url} file={file} poster={poster} />;
    const player = playerOf(url);
    if (!player) return poster;
    const { site, src, host, width, height } = player;
    return (
      <>
        {poster ?? <EmptyFrame width={width} height={height} />}
        <p className="play">
          <a href={url}>{messages.open(site)}</a>
          <button type="button" data-player={src}>
            {messages.play(host)}
          </button>
        </p>
      </>
    );
  };

/** A frame with the size of its player. */
function EmptyFrame({ width, height }: { width: number; height: number }) {
  return (
    <div className="frame">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" />
    </div>
  );
}

type FilePlayerProps = { messages: PlayerMessages; url: string; file: MediaFile; poster: ReactNode };

/** A recording without a poster has no frame, and its link stands in the text. */
function FilePlayer({ messages, url, file, poster }: FilePlayerProps) {
  const isFramed = Boolean(poster) || file.kind === 'video';
  return (
    <>
      {poster ?? (isFramed && <EmptyFrame width={1600} height={900} />)}
      <p className={isFramed ? 'play' : undefined}>
        <a href={url} data-file={file.kind}>
          {messages.playFile(file)}
        </a>
      </p>
    </>
  );
}
