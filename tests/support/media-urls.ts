/** Addresses as people copy them, and the form that is stored. */
export const COPIED_MEDIA: [copied: string, stored: string][] = [
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
  [
    'http://m.youtube.com/watch?app=desktop&v=dQw4w9WgXcQ&pp=x',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
  ],
  [' https://youtu.be/dQw4w9WgXcQ?si=Secret&t=1m30s ', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=90'],
  ['https://youtu.be/dQw4w9WgXcQ?t=0', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
  ['https://www.youtube.com/live/_-w4w9WgXcQ', 'https://www.youtube.com/watch?v=_-w4w9WgXcQ'],
  [
    'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=5',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=5',
  ],
  ['https://youtube.com/shorts/dQw4w9WgXcQ?feature=share', 'https://www.youtube.com/shorts/dQw4w9WgXcQ'],
  ['https://vimeo.com/76979871', 'https://vimeo.com/76979871'],
  ['https://vimeo.com/channels/staff-picks/76979871', 'https://vimeo.com/76979871'],
  ['https://vimeo.com/76979871/8272103f6e?share=copy', 'https://vimeo.com/76979871/8272103f6e'],
  ['https://player.vimeo.com/video/76979871?h=8272103f6e', 'https://vimeo.com/76979871/8272103f6e'],
  [
    'https://www.tiktok.com/@a.ferry_man/video/7106594312292453675?is_from_webapp=1&sender_device=pc',
    'https://www.tiktok.com/@a.ferry_man/video/7106594312292453675',
  ],
  [
    'https://soundcloud.com/town-radio/the-flood?utm_source=clipboard',
    'https://soundcloud.com/town-radio/the-flood',
  ],
  ['https://m.soundcloud.com/town-radio/sets/floods/', 'https://soundcloud.com/town-radio/sets/floods'],
  [
    'https://soundcloud.com/town-radio/rough-cut/s-AbCd12',
    'https://soundcloud.com/town-radio/rough-cut/s-AbCd12',
  ],
  [
    'https://w.soundcloud.com/player/?url=https%3A//soundcloud.com/town-radio/the-flood&color=%23ff5500',
    'https://soundcloud.com/town-radio/the-flood',
  ],
];

/** Addresses that name no video or recording at a known site. */
export const OTHER_MEDIA: string[] = [
  'javascript:alert(1)//https://www.youtube.com/watch?v=dQw4w9WgXcQ',
  'data:text/html,https://www.youtube.com/watch?v=dQw4w9WgXcQ',
  'ftp://www.youtube.com/watch?v=dQw4w9WgXcQ',
  'https://www.youtube.com.evil.example/watch?v=dQw4w9WgXcQ',
  'https://www.youtube.com@evil.example/watch?v=dQw4w9WgXcQ',
  'https://evil@www.youtube.com/watch?v=dQw4w9WgXcQ',
  'https://www.youtube.com:8443/watch?v=dQw4w9WgXcQ',
  'https://wwwxyoutube.com/watch?v=dQw4w9WgXcQ',
  'https://www.youtubе.com/watch?v=dQw4w9WgXcQ',
  'https://evil.example/?https://www.youtube.com/watch?v=dQw4w9WgXcQ',
  'https://constructor/watch?v=dQw4w9WgXcQ',
  'https://www.youtube.com/watch?v=dQw4w9WgXc',
  'https://www.youtube.com/watch?v=dQw4w9WgXcQ"onload=alert(1)',
  'https://www.youtube.com/watch?v=dQw4w9WgXcQ\nx',
  'https://www.youtube.com/@channel',
  'https://www.youtube.com/redirect?q=https://evil.example',
  'https://www.youtube.com/shorts/../watch?v=dQw4w9WgXc',
  'https://vimeo.com/categories',
  'https://vimeo.com/76979871/<script>',
  'https://www.tiktok.com/@x/video/7106594312292453675/../../../evil',
  'https://vm.tiktok.com/ZMabcdef/',
  'https://soundcloud.com/town-radio',
  'https://soundcloud.com/town-radio/../../evil/',
  'https://on.soundcloud.com/abcdef',
  'https://w.soundcloud.com/player/?url=https%3A//evil.example/a/b',
  'https://example.org/video.mp4',
  'a https://youtu.be/dQw4w9WgXcQ',
  '',
];
