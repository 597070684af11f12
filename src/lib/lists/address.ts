import { type Declared, pathWith } from '../http/path.ts';
import { BEFORE } from './cut.ts';

/** Lists that go on from page to page: what counts on them. */
export const CUT_PARAMETERS: Declared = { before: BEFORE };
/** The first page has no number. */
export const PAGE_PARAMETERS: Declared = { page: /^(?:[2-9]|[1-9]\d{1,3})$/ };

export const topicPath = (slug: string, before?: string) =>
  pathWith(`/topics/${slug}`, { before: before ?? null });
export const personPath = (handle: string, before?: string) =>
  pathWith(`/people/${handle}`, { before: before ?? null });

export const archivePath = '/archive';
/** @param month `2026-11` */
export const monthPath = (month: string, page = 1) =>
  pathWith(`/archive/${month.replace('-', '/')}`, { page: page > 1 ? `${page}` : null });
/** Where the months of a year stand. */
export const yearId = (year: string) => `year-${year}`;
export const yearPath = (year: string) => `${archivePath}#${yearId(year)}`;
