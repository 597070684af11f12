import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** The used part of vitest's JSON report. */
type Report = {
  testResults: {
    name: string;
    status: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
};

/** Counts the tests of all reports. An aborted run, and a file that did not load, count as one failure each. */
const reports = process.argv.slice(2);
let failed = 0;
let passed = 0;
const passedTitles = new Set<string>();
const skippedTitles = new Set<string>();

for (const path of reports) {
  if (!existsSync(path)) {
    console.log(`${path} was not written: the run did not end.`);
    failed++;
    continue;
  }
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  for (const { name, status, assertionResults } of testResults) {
    const count = (status: string) => assertionResults.filter((test) => test.status === status).length;
    passed += count('passed');
    failed += count('failed') || (status === 'failed' ? 1 : 0);
    for (const test of assertionResults) {
      const title = `${relative('.', name)} > ${test.fullName}`;
      if (test.status === 'passed') passedTitles.add(title);
      else if (test.status !== 'failed') skippedTitles.add(title);
    }
  }
}

// A test that one engine skips and another passes counts as passed.
const skipped = [...skippedTitles].filter((title) => !passedTitles.has(title));
for (const title of skipped) console.log(`skipped: ${title}`);
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed ? 1 : 0;
