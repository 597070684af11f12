import { playerOf } from '../../lib/domain/body/media.ts';
import type { Messages } from '../../lib/i18n/messages.ts';
import type { DrawPlayer } from './BodyBlocks.tsx';

/**
 * Renders players for readers: the poster or an empty frame with the player's size, and the button that loads it. The
 * button replaces the link where a script may put the player into the frame (live-feed/players.ts). Nothing is loaded
 * before it is pressed.
 */
export const playersIn =
  ({ player: messages }: Messages['reader']): DrawPlayer =>
  (url, poster) => {
    const player = playerOf(url);
    if (!player) return poster;
    const { site, src, host, width, height } = player;
    return (
      <>
        {poster ?? (
          <div className="frame">
            <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" />
          </div>
        )}
        <p className="play">
          <a href={url}>{messages.open(site)}</a>
          <button type="button" data-player={src}>
            {messages.play(host)}
          </button>
        </p>
      </>
    );
  };
