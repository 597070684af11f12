import { readFileSync } from 'node:fs';

/** What of vitest's JSON report is counted here. */
type Report = {
  numPassedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
};

const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Report;
// A file that cannot even be loaded has no test that could fail.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
);
const failed = report.numFailedTests + brokenFiles.length;
const skipped = report.numPendingTests + report.numTodoTests;
console.log(`${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped`);
