import type { Body } from './blocks.ts';

/** Player of the site that has a video or recording. */
type Player = {
  /** Name of the site. */
  site: string;
  kind: 'video' | 'audio';
  /** Address of the player for a frame. */
  embedUrl: string;
  /** The same for a frame that plays at once, because the reader has pressed a button. */
  src: string;
  /** Host that the frame loads from. The button names it. */
  host: string;
  /** Size of the frame in pixels. A page scales it to its column. */
  width: number;
  height: number;
};

type Site = Pick<Player, 'site' | 'kind' | 'width' | 'height'> & {
  /** Matches stored addresses. `private.is_media_url` accepts the same. */
  pattern: RegExp;
  embedUrl(url: string, id: string, more: string | undefined): string;
  /** Parameter of the player that starts it. */
  start?: string;
};

const VIDEO = { kind: 'video', width: 1600, height: 900 } as const;
const PORTRAIT = { kind: 'video', width: 270, height: 480 } as const;

/** YouTube's host that sets no cookies before a video plays. */
const youtubePlayer = (id: string, start?: string) =>
  `https://www.youtube-nocookie.com/embed/${id}?playsinline=1&rel=0${start ? `&start=${start}` : ''}`;

const SITES: readonly Site[] = [
  {
    site: 'YouTube',
    ...VIDEO,
    pattern: /^https:\/\/www\.youtube\.com\/watch\?v=([\w-]{11})(?:&t=([1-9]\d{0,4}))?$/,
    embedUrl: (_, id, start) => youtubePlayer(id, start),
  },
  {
    site: 'YouTube',
    ...PORTRAIT,
    pattern: /^https:\/\/www\.youtube\.com\/shorts\/([\w-]{11})$/,
    embedUrl: (_, id) => youtubePlayer(id),
  },
  {
    site: 'Vimeo',
    ...VIDEO,
    pattern: /^https:\/\/vimeo\.com\/([1-9]\d{0,11})(?:\/([0-9a-f]{6,16}))?$/,
    embedUrl: (_, id, hash) =>
      `https://player.vimeo.com/video/${id}?dnt=1&playsinline=1${hash ? `&h=${hash}` : ''}`,
  },
  {
    site: 'TikTok',
    ...PORTRAIT,
    pattern: /^https:\/\/www\.tiktok\.com\/@[\w.]{1,30}\/video\/(\d{5,20})$/,
    embedUrl: (_, id) => `https://www.tiktok.com/player/v1/${id}`,
  },
  {
    site: 'SoundCloud',
    kind: 'audio',
    width: 320,
    height: 166,
    pattern:
      /^https:\/\/soundcloud\.com\/([a-z0-9_-]{1,60})\/(?:sets\/)?[a-z0-9_-]{1,255}(?:\/s-[A-Za-z0-9]{1,40})?$/,
    embedUrl: (url) => `https://w.soundcloud.com/player/?url=${encodeURIComponent(url)}`,
    start: 'auto_play=true',
  },
];

/** Returns the player of a stored address; undefined for any other address. */
export function playerOf(url: string): Player | undefined {
  for (const { pattern, embedUrl: embedUrlOf, start = 'autoplay=1', ...site } of SITES) {
    const [, id, more] = pattern.exec(url) ?? [];
    if (!id) continue;
    const embedUrl = embedUrlOf(url, id, more);
    const src = `${embedUrl}${embedUrl.includes('?') ? '&' : '?'}${start}`;
    return { ...site, embedUrl, src, host: new URL(src).hostname.replace(/^www\./, '') };
  }
  return undefined;
}

/** Returns the origins that the players of a body load from, for the content security policy. */
export const playerOrigins = (body: Body): string[] => [
  ...new Set(
    body.flatMap((block) => {
      const player = block.type === 'media' && playerOf(block.url);
      return player ? [new URL(player.src).origin] : [];
    }),
  ),
];
