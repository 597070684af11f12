import { escapeUTF8 } from 'entities';
import { siteUrl } from '../site/address.ts';
import { embedPath } from './address.ts';

/** How high a frame is, in pixels, where nothing tells it how high its content is. */
export const FRAME_HEIGHT = 600;

type Framed = { slug: string; headline: string; width?: number; height?: number };

/**
 * What another site puts into a page of its own: the frame, and the script that makes it as high as what is in it. That
 * listens for its own frames alone, by their windows and by where they are from; however often it stands there, the
 * same comes of it.
 */
export function snippetOf({ slug, headline, width, height = FRAME_HEIGHT }: Framed): string {
  const origin = siteUrl('/').slice(0, -1);
  const frame = [
    `src="${escapeUTF8(siteUrl(embedPath(slug)))}"`,
    `title="${escapeUTF8(headline)}"`,
    `width="${width ?? '100%'}" height="${height}" loading="lazy"`,
    `style="border:0;width:100%${width ? `;max-width:${width}px` : ''}"`,
  ];
  return `<iframe ${frame.join(' ')}></iframe>\n${listener(origin)}`;
}

/** For whatever browser the other site still has readers in. */
const listener = (origin: string) =>
  `<script>
addEventListener('message', function (e) {
  var d = e.data;
  if (e.origin !== '${origin}' || !d || d.type !== 'stoppress:height' || !(d.height > 0 && d.height < 50000)) return;
  var f = document.getElementsByTagName('iframe');
  for (var i = 0; i < f.length; i++) if (f[i].contentWindow === e.source) f[i].style.height = d.height + 'px';
});
</script>`;
