/** What of a sorted list lies at a share of it (0 to 1): the nearest rank, as one of the values themselves. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: number[]): number => percentile(values, 0.5);

/** One line of what a bench found. */
export type Finding = {
  what: string;
  /** What the bound is about: a ratio, or milliseconds. */
  value: number;
  bound?: { atLeast: number } | { atMost: number };
  /** The figures behind the value, by the heads of their columns. */
  figures: Record<string, number>;
};

/** Is the finding within its bound? One without a bound always is; one that was never measured never is. */
export function isKept({ value, bound }: Finding): boolean {
  if (!bound) return true;
  return 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;
}

/** The findings as lines of a table. @param head what the value of each line is */
export function table(head: string, findings: Finding[]): string[] {
  const columns = [...new Set(findings.flatMap(({ figures }) => Object.keys(figures)))];
  const rows = [
    ['', head, 'bound', '', ...columns],
    ...findings.map((finding) => [
      finding.what,
      figure(finding.value),
      boundOf(finding),
      finding.bound ? (isKept(finding) ? 'kept' : 'MISSED') : '',
      ...columns.map((column) => figure(finding.figures[column])),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function boundOf({ bound }: Finding): string {
  if (!bound) return '';
  return 'atLeast' in bound ? `≥ ${figure(bound.atLeast)}` : `≤ ${figure(bound.atMost)}`;
}

/** Three digits are more than a busy machine tells. */
function figure(value: number | undefined): string {
  if (value === undefined) return '';
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
