import { describe, expect, it } from 'vitest';
import { parseAccessList } from '../../../packages/embedded-supabase/src/rest/access-list.ts';
import {
  checkQuery,
  type Query,
  QueryRefusedError,
} from '../../../packages/embedded-supabase/src/rest/query-check.ts';

const LIST = parseAccessList(`
[tables.notes]
audience = "everyone"
columns = ["id", "title", "written_at"]
equal = ["id"]
range = ["written_at"]
[functions.everyone]
light = ["count_notes"]
`);

/** The refusal of a visitor's query, whether it is due now or after the session check; undefined for an allowed one. */
function refusalOf(query: Query): unknown {
  try {
    return checkQuery({ select: ['id'], ...query }, { callerClass: 'visitor', role: 'anon' }, LIST);
  } catch (error) {
    return error;
  }
}

/*
 * The database has no grants for objects that are not listed, and refuses them too. These queries show what the list
 * itself refuses, such as a table that is granted and not listed.
 */
describe('the check of queries', () => {
  it('allows listed tables, columns, operators and functions', () => {
    expect(refusalOf({ type: 'query', from: 'notes', where: { id: { $eq: 1 } } })).toBeUndefined();
    expect(
      refusalOf({ type: 'query', from: 'notes', where: { written_at: { $gt: '2026' } } }),
    ).toBeUndefined();
    expect(refusalOf({ type: 'rpc', function: 'count_notes', select: undefined })).toBeUndefined();
  });

  it.each<[string, Query]>([
    ['a table', { type: 'query', from: 'secrets' }],
    ['a function', { type: 'rpc', function: 'read_secrets', select: undefined }],
    ['a column', { type: 'query', from: 'notes', select: ['secret'] }],
    ['a filter by a column', { type: 'query', from: 'notes', where: { secret: { $eq: 1 } } }],
    ['a filter by a listed column', { type: 'query', from: 'notes', where: { title: { $eq: 'x' } } }],
    ['a comparison by order', { type: 'query', from: 'notes', where: { id: { $gt: 1 } } }],
    ['an order', { type: 'query', from: 'notes', order: [{ column: 'title' }] }],
    ['a pattern', { type: 'query', from: 'notes', where: { id: { $like: '%' } } }],
  ])('refuses %s that is not offered', (_what, query) => {
    expect(refusalOf(query)).toBeInstanceOf(QueryRefusedError);
  });

  it('refuses writes to listed tables', () => {
    expect(refusalOf({ type: 'insert', from: 'notes', select: undefined, values: [] })).toMatchObject({
      code: '42501',
    });
  });
});
