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

/** Ways in which people copy an address, by host. Each returns the address to store, which may still be invalid. */
const READERS = new Map<string, (url: URL) => string | null | undefined>([
  ...['youtube.com', 'm.youtube.com', 'music.youtube.com', 'youtube-nocookie.com', 'youtu.be'].map(
    (host) => [host, youtubeUrl] as const,
  ),
  ...['vimeo.com', 'player.vimeo.com'].map((host) => [host, vimeoUrl] as const),
  ...['tiktok.com', 'm.tiktok.com'].map((host) => [host, tiktokUrl] as const),
  ...['soundcloud.com', 'm.soundcloud.com'].map((host) => [host, soundcloudUrl] as const),
  ['w.soundcloud.com', ({ searchParams }) => soundcloudUrl(URL.parse(searchParams.get('url') ?? ''))],
]);

/**
 * Returns the stored form of an address at YouTube, Vimeo, TikTok or SoundCloud that names one video or recording:
 * without what identifies the person who copied it. Null for any other text.
 */
export function mediaUrl(text: string): string | null {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.port) return null;
  const stored = READERS.get(url.hostname.replace(/^www\./, ''))?.(url);
  return stored && playerOf(stored) ? stored : null;
}

/** Pages of players that show a list or a channel. They have the length of an id. */
const YOUTUBE_LISTS = ['videoseries', 'live_stream'];

function youtubeUrl({ hostname, pathname, searchParams }: URL): string | null {
  const [first = '', second = ''] = pathname.slice(1).split('/');
  if (first === 'shorts') return `https://www.youtube.com/shorts/${second}`;
  const inPath = ['live', 'embed', 'v'].includes(first) ? second : searchParams.get('v');
  const id = hostname.endsWith('youtu.be') ? first : inPath;
  if (!id || YOUTUBE_LISTS.includes(id)) return null;
  const start = secondsOf(searchParams.get('t') ?? searchParams.get('start') ?? '');
  return `https://www.youtube.com/watch?v=${id}${start > 0 ? `&t=${start}` : ''}`;
}

/** Reads `90`, `90s` or `1h2m3s`; 0 if it is neither. */
function secondsOf(text: string): number {
  const [, hours, minutes, seconds] = /^(?:(\d)h)?(?:(\d{1,3})m)?(?:(\d{1,5})s?)?$/.exec(text) ?? [];
  const sum = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  return sum < 100_000 ? sum : 0;
}

function vimeoUrl({ pathname, searchParams }: URL): string | null {
  const [, id, inPath] =
    /^\/(?:video\/|channels\/[\w-]{1,100}\/|groups\/[\w-]{1,100}\/videos\/)?(\d{1,12})(?:\/(\w{6,16}))?\/?$/.exec(
      pathname,
    ) ?? [];
  const hash = inPath ?? searchParams.get('h');
  return id ? `https://vimeo.com/${id}${hash ? `/${hash}` : ''}` : null;
}

function tiktokUrl({ pathname }: URL): string {
  return `https://www.tiktok.com${pathname.replace(/\/$/, '')}`;
}

/** Pages of SoundCloud that are no person, and pages of a person that are no recording. */
const SOUNDCLOUD_PAGES = ['discover', 'you', 'search', 'pages', 'charts', 'stations', 'tags', 'upload'];
const SOUNDCLOUD_LISTS = [
  ...['tracks', 'albums', 'sets', 'reposts', 'likes', 'followers', 'following', 'comments', 'spotlight'],
  'popular-tracks',
];

function soundcloudUrl(url: URL | null): string | null {
  if (!url || !/^(?:(?:www|m)\.)?soundcloud\.com$/.test(url.hostname)) return null;
  const [person = '', ...rest] = url.pathname.replace(/\/$/, '').slice(1).split('/');
  const isList = rest.length === 1 && SOUNDCLOUD_LISTS.includes(rest[0] ?? '');
  if (SOUNDCLOUD_PAGES.includes(person) || isList) return null;
  return `https://soundcloud.com/${[person, ...rest].join('/')}`;
}
