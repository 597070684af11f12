import type { Endings } from './endings.ts';
import type { Finding } from './figures.ts';

export type Report = {
  findings: Finding[];
  /** What else is worth knowing, in sentences. */
  notes?: string[];
};

export type Bench = {
  /** What is compared, in a sentence or two. */
  about: string;
  /** What the value of each finding is. */
  head: string;
  /** Measures. Whatever it starts it hands to the endings. */
  run(endings: Endings): Promise<Report>;
};
