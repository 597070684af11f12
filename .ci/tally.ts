import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** The used part of vitest's JSON report. */
type Report = {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

/** Characters of a failure that are printed again at the end, where a shortened log still shows them. */
const LONGEST_FAILURE = 1_500;

/** Counts the tests of all reports. An aborted run, and a file that did not load, count as one failure each. */
const reports = process.argv.slice(2);
let failed = 0;
let passed = 0;
const passedTitles = new Set<string>();
const skippedTitles = new Set<string>();
const failures: string[] = [];

for (const path of reports) {
  if (!existsSync(path)) {
    console.log(`${path} was not written: the run did not end.`);
    failed++;
    continue;
  }
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  for (const { name, status, message, assertionResults } of testResults) {
    const count = (status: string) => assertionResults.filter((test) => test.status === status).length;
    passed += count('passed');
    failed += count('failed') || (status === 'failed' ? 1 : 0);
    if (status === 'failed' && !count('failed')) failures.push(`${relative('.', name)}: ${message}`);
    for (const test of assertionResults) {
      const title = `${relative('.', name)} > ${test.fullName}`;
      if (test.status === 'passed') passedTitles.add(title);
      else if (test.status === 'failed') failures.push(`${title}: ${test.failureMessages.join('\n')}`);
      else skippedTitles.add(title);
    }
  }
}

// A test that one engine skips and another passes counts as passed.
const skipped = [...skippedTitles].filter((title) => !passedTitles.has(title));
for (const title of skipped) console.log(`skipped: ${title}`);
for (const failure of failures) console.log(`failed: ${failure.slice(0, LONGEST_FAILURE)}`);
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed ? 1 : 0;
