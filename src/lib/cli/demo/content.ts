import {
  type Body,
  type Link,
  type List,
  type Media,
  type Paragraph,
  type Place,
  type Post,
  plainRows,
  type Quote,
  type Table,
} from '../../domain/body/blocks.ts';
import { machineTime } from '../../domain/time.ts';
import type { IllustrationName } from './illustrations.ts';

/** An update of the demo. A string is a paragraph. */
export type Writing = {
  headline?: string;
  body: (string | Body[number])[];
  keyEvent?: boolean;
  urgency?: 'important' | 'urgent';
  verification?: 'unverified' | 'developing';
  attribution?: string;
  dateline?: string;
  by?: Author[];
  /** Stand below the body. */
  photos?: IllustrationName[];
  /** Stands below the photos. The last of them is its poster. */
  video?: Media;
};

/** The people of the demo who write updates. */
type Author = 'editor' | 'reporter' | 'contributor';

export const paragraph = (text: string): Paragraph => ({ type: 'paragraph', runs: [{ text }] });
export const quote = (text: string, attribution: string): Quote => ({ type: 'quote', text, attribution });
export const list = (...items: string[]): List => ({ type: 'list', items: items.map((text) => [{ text }]) });
export const link = (url: string, title: string, description: string): Link => ({
  type: 'link',
  url,
  title,
  description,
  site: new URL(url).hostname,
});
export const map = (name: string, latitude: number, longitude: number): Place => ({
  type: 'map',
  name,
  latitude,
  longitude,
  zoom: 15,
});
type TableContent = Pick<Table, 'preset' | 'align' | 'caption' | 'source'>;

/** The first row names the columns. */
export const table = (content: TableContent, ...rows: string[][]): Table => ({
  type: 'table',
  ...content,
  rows: plainRows(rows),
});

/** A post that was quoted this many minutes before the demo began. */
export const post = (minutesAgo: number, content: Omit<Post, 'type' | 'posted_at' | 'quoted_at'>): Post => ({
  type: 'post',
  ...content,
  posted_at: machineTime(new Date(Date.now() - (minutesAgo + MINUTES_BEFORE_QUOTE) * 60_000)),
  quoted_at: machineTime(new Date(Date.now() - minutesAgo * 60_000)),
});

const MINUTES_BEFORE_QUOTE = 12;

/** The ids of the photos of a coverage by name. */
export type PhotoIds = Partial<Record<IllustrationName, string>>;

/** A coverage to which updates are added while the demo runs. */
export type LiveCoverage = { id: string; photos: PhotoIds };

/**
 * The content of an update in the form that the database functions take.
 * @param ids of the people in bylines
 * @param photos of the coverage
 * @param at when it is published, which is the time of the data of its tables
 */
export function contentOf(writing: Writing, ids: Record<Author, string>, photos: PhotoIds = {}, at?: string) {
  const { headline, body, keyEvent = false, urgency = 'normal', verification = 'confirmed' } = writing;
  const { attribution, dateline, by = ['reporter'] } = writing;
  return {
    ...(headline && { headline }),
    ...(attribution && { attribution }),
    ...(dateline && { dateline }),
    body: [
      ...body.map((block) => {
        if (typeof block === 'string') return paragraph(block);
        return block.type === 'table' && at ? { ...block, as_of: machineTime(at) } : block;
      }),
      ...(writing.photos ?? []).flatMap((name) => {
        const photo = photos[name];
        return photo ? [{ type: 'photo' as const, photo }] : [];
      }),
      ...(writing.video ? [writing.video] : []),
    ],
    key_event: keyEvent,
    urgency,
    verification,
    bylines: by.map((author) => ids[author]),
  };
}
