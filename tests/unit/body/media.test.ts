import { describe, expect, test } from 'vitest';
import { playerOf, playerOrigins } from '../../../src/lib/domain/body/media.ts';
import { mediaUrl } from '../../../src/lib/domain/body/media-url.ts';
import { COPIED_MEDIA, OTHER_MEDIA } from '../../support/media-urls.ts';

const HOSTS = ['www.youtube-nocookie.com', 'player.vimeo.com', 'www.tiktok.com', 'w.soundcloud.com'];

describe('the address of a video or recording', () => {
  test.for(COPIED_MEDIA)('%s is stored as %s', ([copied, stored]) => {
    expect(mediaUrl(copied)).toBe(stored);
    expect(mediaUrl(stored)).toBe(stored);
  });

  test.for([
    ...OTHER_MEDIA,
    'https://www.youtube.com/embed/videoseries?list=PL1',
    'https://www.youtube.com/embed/live_stream?channel=UC1',
    'https://soundcloud.com/discover/sets',
    'https://soundcloud.com/town-radio/tracks',
  ])('%j is none', (text) => {
    expect(mediaUrl(text)).toBeNull();
  });
});

describe('the player of a stored address', () => {
  test.for(COPIED_MEDIA)('is at a known host, and names it: %s', ([, stored]) => {
    const player = playerOf(stored);
    const url = new URL(player?.src ?? '');
    expect([url.protocol, url.port, url.username]).toEqual(['https:', '', '']);
    expect(HOSTS).toContain(url.hostname);
    expect(url.hostname.endsWith(player?.host ?? '?')).toBe(true);
    expect(player?.src.startsWith(player.embedUrl)).toBe(true);
    expect(player?.embedUrl).not.toMatch(/auto_?play/);
  });

  test('starts at the second that the address names', () => {
    expect(playerOf('https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=90')?.src).toBe(
      'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0&start=90&autoplay=1',
    );
  });

  test.for([...OTHER_MEDIA, 'https://youtu.be/dQw4w9WgXcQ', 'http://vimeo.com/76979871'])(
    'does not exist for %j',
    (url) => {
      expect(playerOf(url)).toBeUndefined();
    },
  );
});

test('names the origin of each player of a body once', () => {
  const media = (url: string) => ({ type: 'media' as const, url, title: 'T' });
  const first = media('https://www.youtube.com/watch?v=dQw4w9WgXcQ');
  const body = [first, media('https://example.org/'), media('https://vimeo.com/1'), first];
  expect(playerOrigins(body)).toEqual(['https://www.youtube-nocookie.com', 'https://player.vimeo.com']);
});
