import { playerOf } from './media.ts';

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
