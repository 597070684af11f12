import type { Endings } from './endings.ts';
import type { Finding } from './figures.ts';

export type Report = {
  findings: Finding[];
  /** Notes beside the findings, as sentences. */
  notes?: string[];
};

export type Bench = {
  /** Describes the comparison in one or two sentences. */
  about: string;
  /** Name of the value of each finding. */
  head: string;
  /** Runs the measurement. Everything that it starts is registered in `endings`. */
  run(endings: Endings): Promise<Report>;
};
