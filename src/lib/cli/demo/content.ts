import type { Body, Link, List, Paragraph, Quote, Table } from '../../domain/body/blocks.ts';
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
  /** Stand at the end of the body. */
  photos?: IllustrationName[];
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
/** The first row names the columns. */
export const table = (caption: string, source: string, ...rows: string[][]): Table => ({
  type: 'table',
  rows: rows.map((cells) => cells.map((text) => (text ? [{ text }] : []))),
  caption,
  source,
});

/**
 * The content of an update in the form that the database functions take.
 * @param ids of the people in bylines
 * @param photoIds of the update's photos
 */
export function contentOf(writing: Writing, ids: Record<Author, string>, photoIds: string[] = []) {
  const { headline, body, keyEvent = false, urgency = 'normal', verification = 'confirmed' } = writing;
  const { attribution, dateline, by = ['reporter'] } = writing;
  return {
    ...(headline && { headline }),
    ...(attribution && { attribution }),
    ...(dateline && { dateline }),
    body: [
      ...body.map((block) => (typeof block === 'string' ? paragraph(block) : block)),
      ...photoIds.map((photo) => ({ type: 'photo' as const, photo })),
    ],
    key_event: keyEvent,
    urgency,
    verification,
    bylines: by.map((author) => ids[author]),
  };
}
