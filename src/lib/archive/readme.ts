import { livePath } from '../coverage/address.ts';
import { siteUrl } from '../site/address.ts';
import { folder } from '../text/folder.ts';
import { fullTime } from '../time/days.ts';
import type { Subject } from './subject.ts';

/** What a folder is, for whoever finds it without knowing. @param files that it has, relative to it */
export function readmeOf({ coverage, site, clock, at }: Subject, files: Iterable<string>): string {
  const words = folder.readme;
  const there = new Set([...files].map(kindOf));
  const kinds = Object.entries(words.files).flatMap(([kind, text]) => (there.has(kind) ? [`  ${text}`] : []));
  const said = {
    headline: coverage.headline,
    site: site.name,
    url: siteUrl(livePath(coverage.slug)),
    time: fullTime(at, clock),
    updates: coverage.update_count,
    seq: coverage.seq,
  };
  const parts = [
    words.head(said),
    words.what(said),
    words.open,
    kinds.join('\n'),
    words.again,
    words.newer,
    words.whose(site.publisher || site.name),
    ...(site.contact ? [words.contact(site.contact)] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function kindOf(file: string): string {
  const [folder, ...rest] = file.split('/');
  if (rest.length > 0) return folder ?? '';
  if (file.startsWith('page-')) return 'pages';
  if (file.startsWith('key-events')) return 'key';
  if (file.startsWith('timeline')) return 'timeline';
  return file.startsWith('feed.') ? 'feeds' : 'index';
}
