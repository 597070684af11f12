import type { Backend } from '../desk/read.ts';
import type { DeskPhoto } from '../photos/photo.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import { isReceipt, type TipState, type Used } from './tip.ts';

/** What became of a tip, as its sender may know it. */
export type Receipt = {
  state: TipState;
  created_at: string;
  coverage: { slug: string; headline: string } | null;
  /** The update that came of it, once that is published. */
  used: Used | null;
};

/** What a receipt stands for, or null. */
export async function readReceipt(receipt: string): Promise<Receipt | null> {
  if (!isReceipt(receipt)) return null;
  const tip = (await dataOf(reader().rpc('tip_receipt', { receipt }))) as Receipt | null;
  return tip && { ...tip, used: tip.used ?? null };
}

/** A tip as those see it who handle tips. */
export type DeskTip = {
  id: string;
  body: string;
  name: string | null;
  contact: string | null;
  state: TipState;
  held: boolean;
  created_at: string;
  photo: Pick<DeskPhoto, 'id' | 'state' | 'width' | 'height' | 'prints'> | null;
  coverage: { slug: string; headline: string } | null;
};

/** Tips on one page of the list. */
const PAGE = 50;

/**
 * Tips, the newest first. Nothing for those who do not handle them.
 * @param page from 1
 */
export async function readTips(backend: Backend, page: number): Promise<{ rows: DeskTip[]; more: boolean }> {
  const from = (page - 1) * PAGE;
  const rows = await dataOf(
    backend
      .from('desk_tips')
      .select('id, coverage_id, body, name, contact, state, held, created_at, photo')
      .order('created_at', { ascending: false })
      .order('id')
      .range(from, from + PAGE),
  );
  const about = await coveragesOf(
    backend,
    rows.flatMap(({ coverage_id }) => coverage_id ?? []),
  );
  const shown = rows.slice(0, PAGE).map(({ coverage_id, photo, ...tip }) => ({
    ...tip,
    // The database makes this object: its types cannot say what is in it.
    photo: photo as DeskTip['photo'],
    coverage: about.find(({ id }) => id === coverage_id) ?? null,
  }));
  return { rows: shown, more: rows.length > PAGE };
}

async function coveragesOf(backend: Backend, ids: string[]) {
  if (ids.length === 0) return [];
  const wanted = [...new Set(ids)];
  return dataOf(backend.from('coverages').select('id, slug, headline').in('id', wanted));
}
