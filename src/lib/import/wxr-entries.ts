import { KIND, type WxrComment, type WxrItem, type WxrSite } from './wxr-items.ts';

/** An entry of a liveblog as it was written down, before it is known which others replace it. */
export type Written = {
  id: string;
  /** The one that it stands for. */
  replaces: string | undefined;
  title: string;
  html: string;
  at: string;
  names: string[];
  isHidden: boolean;
  /** It was noted to be a key event. What its text says of that is another matter. */
  isKey: boolean;
  isThrownAway: boolean;
};

/** What readers saw of an entry at the end. */
export type Entry = Pick<Written, 'id' | 'title' | 'html' | 'at' | 'names' | 'isKey'>;

/** A comment that is an entry (Liveblog 1): its type and its approval say so. */
export function entryOfComment({ fields, meta }: WxrComment, { names }: WxrSite): Written {
  const field = (key: string) => fields.get(`wp:comment_${key}`)?.trim() ?? '';
  const html = fields.get('wp:comment_content') ?? '';
  const author = field('author') || (names.get(field('user_id')) ?? '');
  return {
    id: field('id'),
    title: '',
    html,
    at: field('date_gmt'),
    ...written(meta, author, names),
    isThrownAway: field('approved') !== KIND,
  };
}

/** A post under a liveblog that is an entry (Liveblog 2). */
export function entryOfPost({ fields, meta, categories }: WxrItem, { names }: WxrSite): Written {
  const field = (key: string) => fields.get(`wp:${key}`)?.trim() ?? '';
  const html = fields.get('content:encoded') ?? '';
  const creator = fields.get('dc:creator')?.trim() ?? '';
  const signed = categories.filter(({ domain }) => domain === 'author').map(({ name }) => name);
  const [author = '', ...more] = (signed.length > 0 ? signed : [creator]).map(
    (name) => names.get(name) ?? name,
  );
  const entry = written(meta, author, names);
  return {
    id: field('post_id'),
    title: fields.get('title')?.trim() ?? '',
    html,
    at: field('post_date_gmt'),
    ...entry,
    names: [...new Set([...entry.names, ...more])],
    isThrownAway: field('status') !== 'publish',
  };
}

/** What the plugin notes beside a text, whichever way it keeps it. */
function written(meta: WxrComment['meta'], author: string, names: WxrSite['names']) {
  const others = idsIn(meta.get('liveblog_contributors') ?? '').flatMap((id) => names.get(id) ?? []);
  return {
    replaces: meta.get('liveblog_replaces')?.trim() || undefined,
    names: [...new Set([author, ...others].filter(Boolean))],
    isHidden: isYes(meta.get('liveblog_hide_authors')),
    isKey: isYes(meta.get('liveblog_key_entry')),
  };
}

const isYes = (value: string | undefined) => value === '1' || value === 'true';

/** Is there in a text what becomes of `/key`? Span by span: whatever a text is made of, it is gone through once. */
const hasKeyCommand = (html: string) =>
  [...html.matchAll(/<span\b([^<>]*)>/gi)].some(([, attributes = '']) =>
    [...attributes.matchAll(/\bclass=["']([^"']*)/gi)].some(
      ([, names = '']) => /\bliveblog-command\b/i.test(names) && /\btype-key\b/i.test(names),
    ),
  );

/** The values of a list as PHP writes it: `a:2:{i:0;i:3;i:1;s:1:"5";}`. */
const idsIn = (list: string) =>
  [...list.matchAll(/i:\d+;(?:i:(\d+)|s:\d+:"(\d+)");/g)].map(([, number, text]) => number ?? text ?? '');

/**
 * What readers saw at the end: of each entry the newest text, at the time of the first. A change is an entry of its own
 * that names the one it stands for, an empty one takes it away; a trace of what is gone may be all there is of it.
 */
export function entriesOf(all: Written[]): { entries: Entry[]; deleted: number } {
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  const groups = Map.groupBy(all, (entry) => rootOf(entry, byId));
  const entries: Entry[] = [];
  let deleted = 0;
  for (const [id, group] of groups) {
    const first = byId.get(id);
    const shown = group.filter(({ isThrownAway }) => !isThrownAway).toSorted(byNumber);
    const newest = shown.at(-1);
    const isDeleted = shown.some(({ replaces, html }) => replaces !== undefined && html.trim() === '');
    if (!newest || first?.isThrownAway || isDeleted) {
      deleted += 1;
      continue;
    }
    // Whose it is, and whether it matters, is kept with the first.
    const { names, isHidden, at } = first ?? shown[0] ?? newest;
    const { title, html } = newest;
    entries.push({
      id,
      title,
      html,
      at,
      names: isHidden ? [] : names,
      isKey: newest.isKey || first?.isKey === true || hasKeyCommand(html),
    });
  }
  return { entries, deleted };
}

/** The entry that all changes of it stand for, whether it is still there or not. */
function rootOf({ id, replaces }: Written, byId: Map<string, Written>): string {
  const passed = new Set([id]);
  let at = id;
  for (let next = replaces; next !== undefined && !passed.has(next); next = byId.get(next)?.replaces) {
    passed.add(next);
    at = next;
  }
  return at;
}

const byNumber = (a: Written, b: Written) => Number(a.id) - Number(b.id);
