import { v5 as uuidFrom } from 'uuid';
import type { Body } from '../body/blocks.ts';
import type { Item } from './feed.ts';

/** An update as the database imports it. */
export type ImportItem = {
  id: string;
  published_at: string;
  content: { headline?: string; body: Body; attribution?: string; key_event: boolean };
};

/** The same item of the same coverage is the same update, whenever and wherever it is read. */
export const updateId = (coverageId: string, itemId: string) => uuidFrom(itemId, coverageId);

export function importItem(coverageId: string, item: Item): ImportItem {
  return {
    id: updateId(coverageId, item.id),
    published_at: item.publishedAt.toISOString(),
    content: {
      ...(item.title && { headline: item.title }),
      ...(item.authors.length > 0 && { attribution: item.authors.join(', ') }),
      body: item.body,
      key_event: item.tags.includes('key-event'),
    },
  };
}
