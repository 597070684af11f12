import { diffArrays } from 'diff';
import { type Body, canonicalJson, type Run, type Table, tablesOf } from './blocks.ts';

/** Two versions in one. If both changed the same cell or line, `result` has mine. */
export type Merged<Result> = { result: Result; conflicts: number };

/** Position of a column in three versions of a table. */
type Column = { base: number | undefined; mine: number | undefined; theirs: number | undefined };

type Row = Run[][];

const same = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);

/**
 * Merges two versions of a table by cell. A column is known by its name, a row by its first cell. It is a conflict if
 * both versions changed the same cell, or one changed what the other removed or renamed.
 * @param base the version that both began with
 */
export function mergeTables(base: Table, mine: Table, theirs: Table): Merged<Table> {
  const merge = new Merge();
  // Cells that are read from an address belong to it, so those of the newer version are right.
  const isRead = mine.csv !== undefined && mine.csv === theirs.csv;
  const { rows, align, as_of } = isRead
    ? withAlignment(merge, base, mine, theirs)
    : mergeCells(merge, base, mine, theirs);
  const described = {
    align,
    caption: merge.value(base.caption, mine.caption, theirs.caption),
    source: merge.value(base.source, mine.source, theirs.source),
    as_of,
    preset: merge.value(base.preset, mine.preset, theirs.preset),
    csv: merge.value(base.csv, mine.csv, theirs.csv),
  };
  const present = Object.fromEntries(Object.entries(described).filter(([, value]) => value !== undefined));
  return { result: { type: 'table', rows, ...present }, conflicts: merge.conflicts };
}

/** The cells that were read last, with both changes of the alignment while the columns are the same. */
function withAlignment(merge: Merge, base: Table, mine: Table, theirs: Table): Table {
  const [before = [], now = []] = [base.rows[0], theirs.rows[0]];
  if (before.length !== now.length) return theirs;
  return { ...theirs, align: merge.value(base.align, mine.align, theirs.align) };
}

/** Merges the cells, the alignments and the time of the data. */
function mergeCells(
  merge: Merge,
  base: Table,
  mine: Table,
  theirs: Table,
): Pick<Table, 'rows' | 'align' | 'as_of'> {
  // Rows of one table must not get into another one that has taken its place.
  if (isReplaced(base, mine) && !same(base, theirs)) merge.conflicts += 1;
  if (isReplaced(base, theirs) && !same(base, mine)) merge.conflicts += 1;
  const columns = merge.columns(base, mine, theirs);
  const rowsOf = (table: Table, version: keyof Column) =>
    table.rows.map((row) => columns.map((column) => at(row, column[version]) ?? []));
  const alignOf = (table: Table, version: keyof Column) =>
    columns.map((column) => at(table.align, column[version]) ?? 'start');
  const [names = [], ...rows] = rowsOf(base, 'base');
  const [ownNames = [], ...ownRows] = rowsOf(mine, 'mine');
  const [otherNames = [], ...otherRows] = rowsOf(theirs, 'theirs');
  const align = merge.cells(alignOf(base, 'base'), alignOf(mine, 'mine'), alignOf(theirs, 'theirs'));
  return {
    rows: [merge.cells(names, ownNames, otherNames), ...merge.rows(rows, ownRows, otherRows)],
    align: align.some((alignment) => alignment !== 'start') ? align : undefined,
    as_of: merge.time(base.as_of, mine.as_of, theirs.as_of),
  };
}

/** Whether a version shares neither the name of a column nor a row with the base. */
function isReplaced({ rows: [names = [], ...rows] }: Table, { rows: [ownNames = [], ...ownRows] }: Table) {
  const isShared = names.some((name) => ownNames.some((own) => same(own, name)));
  return !isShared && originsOf(rows, ownRows, isAlike).every((origin) => origin === undefined);
}

const at = <Item>(items: Item[] | undefined, index: number | undefined): Item | undefined =>
  index === undefined ? undefined : items?.[index];

/** Merges parts of a table and counts the conflicts. */
class Merge {
  conflicts = 0;

  /** Returns the value of the version that changed it, and mine if both did. */
  value<Value>(base: Value, mine: Value, theirs: Value): Value {
    if (same(mine, base) || same(mine, theirs)) return theirs;
    if (!same(theirs, base)) this.conflicts += 1;
    return mine;
  }

  /** Of two new times, the later one is that of the merged data. */
  time(base: string | undefined, mine: string | undefined, theirs: string | undefined): string | undefined {
    if (mine && theirs && mine !== base && theirs !== base) return mine > theirs ? mine : theirs;
    return this.value(base, mine, theirs);
  }

  cells<Cell>(base: Cell[], mine: Cell[], theirs: Cell[]): Cell[] {
    return mine.map((cell, column) => this.value(base[column] as Cell, cell, theirs[column] as Cell));
  }

  /** Returns the columns of the version that added or removed some, and mine if both did. */
  columns(base: Table, mine: Table, theirs: Table): Column[] {
    const names = base.rows[0] ?? [];
    const origins = {
      mine: this.columnOrigins(names, mine.rows[0] ?? []),
      theirs: this.columnOrigins(names, theirs.rows[0] ?? []),
    };
    const isChanged = (origin: Origins) =>
      origin.length !== names.length || origin.some((from, column) => from !== column);
    if (!isChanged(origins.mine) && !isChanged(origins.theirs)) {
      return names.map((_, column) => ({ base: column, mine: column, theirs: column }));
    }
    const [changed, other] = isChanged(origins.mine)
      ? (['mine', 'theirs'] as const)
      : (['theirs', 'mine'] as const);
    const columns = origins[changed].map((from, column) => {
      const there = from === undefined ? -1 : origins[other].indexOf(from);
      return { base: from, [changed]: column, [other]: there < 0 ? undefined : there } as Column;
    });
    const otherTable = { mine, theirs }[other];
    // The other version added or removed columns too, or changed a cell of a column that is removed.
    const isKept = (cells: Row | undefined, origin: number[]) => origin.map((column) => at(cells, column));
    const removed = names.flatMap((_, column) => (origins[changed].includes(column) ? [] : [column]));
    const isLost = !same(
      base.rows.map((row) => isKept(row, removed)),
      otherTable.rows.map((row) => isKept(row, removed)),
    );
    if (isChanged(origins[other]) || (removed.length > 0 && isLost)) this.conflicts += 1;
    return columns;
  }

  /**
   * Names that were replaced by as many others are renamed. With other numbers it is not clear which column became
   * which.
   */
  columnOrigins(names: Run[][], own: Run[][]): Origins {
    return originsOf(
      names,
      own,
      () => true,
      () => {
        this.conflicts += 1;
      },
    );
  }

  /** All rows have the same columns. */
  rows(base: Row[], mine: Row[], theirs: Row[]): Row[] {
    const origins = { mine: originsOf(base, mine, isAlike), theirs: originsOf(base, theirs, isAlike) };
    const merged: { from: number | undefined; row: Row }[] = [];
    for (const [index, row] of mine.entries()) {
      const from = origins.mine[index];
      const was = at(base, from);
      const other = was && theirs[origins.theirs.indexOf(from)];
      if (was && other) merged.push({ from, row: this.row(was, row, other) });
      else if (!was || !same(row, was)) {
        merged.push({ from, row });
        // They removed a row that is changed here.
        if (was) this.conflicts += 1;
      }
    }
    const added = mine.filter((_, index) => origins.mine[index] === undefined);
    let place = 0;
    for (const [index, row] of theirs.entries()) {
      const from = origins.theirs[index];
      const known = from === undefined ? -1 : merged.findIndex((entry) => entry.from === from);
      if (known >= 0) {
        place = known + 1;
        continue;
      }
      const was = at(base, from);
      if (was && same(row, was)) continue;
      if (!was && added.some((own) => same(own, row))) continue;
      // Mine removed a row that they changed.
      if (was) this.conflicts += 1;
      merged.splice(place, 0, { from, row });
      place += 1;
    }
    const rows = merged.map(({ row }) => row);
    const isNew = (row: Row) => {
      const most = Math.max(...[mine, theirs].map((version) => namesakes(version, row)));
      return namesakes(rows, row) > most;
    };
    // Each version has a row of this name that the other does not know.
    if (rows.some(isNew)) this.conflicts += 1;
    return rows;
  }

  /** A row with another name may be about another thing, so its cells do not mix with changes of the earlier one. */
  row(base: Row, mine: Row, theirs: Row): Row {
    if (same(mine[0], theirs[0]) || same(mine, base) || same(theirs, base))
      return this.cells(base, mine, theirs);
    this.conflicts += 1;
    return mine;
  }
}

/** For each item of a version, the position of the item in the base that it comes from. */
type Origins = (number | undefined)[];

const isNamedAlike = (a: Row, b: Row) => (a[0] ?? []).length > 0 && same(a[0], b[0]);

/** Returns the number of rows with the name of a row. */
const namesakes = (rows: Row[], row: Row) => rows.filter((other) => isNamedAlike(other, row)).length;

/** Whether a changed row may come from a row: it has its name, or half of its cells. */
const isAlike = (a: Row, b: Row) =>
  isNamedAlike(a, b) || 2 * a.filter((cell, column) => same(cell, b[column])).length >= a.length;

/**
 * Finds the origins of items. Changed items come from those in the same place that are alike.
 * @param onUnclear called for each place in which other items stand for some of another number
 */
function originsOf<Item>(
  base: Item[],
  items: Item[],
  isAlike: (a: Item, b: Item) => boolean,
  onUnclear?: () => void,
): Origins {
  const origins: Origins = [];
  let [from, removed]: [number, number[]] = [0, []];
  let added: Item[] = [];
  const closeGap = () => {
    if (removed.length > 0 && added.length > 0 && removed.length !== added.length) onUnclear?.();
    const gap: Origins = added.map(() => undefined);
    let next = 0;
    for (const origin of removed) {
      const place = added.findIndex((item, index) => index >= next && isAlike(base[origin] as Item, item));
      if (place < 0) continue;
      gap[place] = origin;
      next = place + 1;
    }
    origins.push(...gap);
    [removed, added] = [[], []];
  };
  let to = 0;
  for (const change of diffArrays(base.map(canonicalJson), items.map(canonicalJson))) {
    if (change.added) for (const _ of change.value) added.push(items[to++] as Item);
    else if (change.removed) for (const _ of change.value) removed.push(from++);
    else {
      closeGap();
      for (const _ of change.value) origins.push(from++);
      to += change.value.length;
    }
  }
  closeGap();
  return origins;
}

/**
 * Merges two versions of a body of which one changed only tables. Returns null if both changed something else.
 * @param base the version that both began with
 */
export function mergeBodies(base: Body, mine: Body, theirs: Body): Merged<Body> | null {
  const [were, own, other] = [tablesOf(base), tablesOf(mine), tablesOf(theirs)];
  if (own.length !== were.length || other.length !== were.length) return null;
  const frame = changedOnlyTables(base, mine) ? theirs : changedOnlyTables(base, theirs) ? mine : null;
  if (!frame) return null;
  const merges = were.map((table, index) => mergeTables(table, own[index] as Table, other[index] as Table));
  const tables = merges.map(({ result }) => result).values();
  return {
    result: frame.map((block) => (block.type === 'table' ? (tables.next().value as Table) : block)),
    conflicts: merges.reduce((sum, { conflicts }) => sum + conflicts, 0),
  };
}

/** Whether a version of a body differs from another at most in its tables. */
export function changedOnlyTables(base: Body, body: Body): boolean {
  const withoutTables = (blocks: Body) =>
    blocks.map((block) => (block.type === 'table' ? block.type : block));
  return same(withoutTables(base), withoutTables(body));
}
