/** The value at a share (0 to 1) of a list, by nearest rank. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: number[]): number => percentile(values, 0.5);

/** One line of a bench's result. */
export type Finding = {
  what: string;
  /** The value that the limit is about: a ratio, or milliseconds. */
  value: number;
  bound?: { atLeast: number } | { atMost: number };
  /** Other figures by column. */
  figures: Record<string, number>;
};

/** Whether a finding is within its limit. Without a limit it is; without a measurement it is not. */
export function isKept({ value, bound }: Finding): boolean {
  if (!bound) return true;
  return 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;
}

/** Formats findings as a table. @param head name of the value */
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

/** Three digits, because a busy machine is not more precise. */
function figure(value: number | undefined): string {
  if (value === undefined) return '';
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
