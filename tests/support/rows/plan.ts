/** What statements have touched, as EXPLAIN (ANALYZE, BUFFERS) counts it. */
export type Touched = {
  /** Rows that any step of a plan gave on or threw away. */
  rows: number;
  /** Pages of tables and indexes that were looked at, in memory or not: 8 KB each. */
  buffers: number;
};

/** One statement that was run, also one inside a function, a policy's function or a trigger. */
export type Statement = Touched & { text: string; plan: Step };

/** A step of a plan, as PostgreSQL tells it in JSON. */
export type Step = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Step[];
};

/** Reads what auto_explain has logged of one statement. */
export function readStatement(json: string): Statement {
  const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: Step };
  return {
    text,
    plan,
    rows: Math.round(rowsOf(plan)),
    // A step counts what is beneath it too.
    buffers: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
  };
}

function rowsOf(step: Step): number {
  const each =
    (step['Actual Rows'] ?? 0) +
    (step['Rows Removed by Filter'] ?? 0) +
    (step['Rows Removed by Join Filter'] ?? 0) +
    (step['Rows Removed by Index Recheck'] ?? 0);
  const own = each * (step['Actual Loops'] ?? 0);
  return (step.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), own);
}

/** The sum. A statement inside another counts in both: what is compared is one coverage with another. */
export function touchedBy(statements: Touched[]): Touched {
  return {
    rows: statements.reduce((sum, { rows }) => sum + rows, 0),
    buffers: statements.reduce((sum, { buffers }) => sum + buffers, 0),
  };
}
