import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/*
 * tally.ts failed REPORT     prints the files that failed or did not run, and have not passed since, one a line
 * tally.ts count REPORT...   counts the tests of all reports
 *
 * Beside each report lies `REPORT.files`, the list of all its files. A file that failed or did not run may have been run
 * again, with the reports `REPORT.repeat1` and `REPORT.repeat2`. Its tests count as passed if all tests of the file pass
 * in one of them, and those that had failed are listed as unstable.
 */

/** The used part of vitest's JSON report. */
type Report = {
  testResults: {
    name: string;
    status: string;
    message: string;
    startTime: number;
    endTime: number;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

/** Characters of a failure that are printed again at the end, where a shortened log still shows them. */
const LONGEST_FAILURE = 1_500;

/** Files whose durations are printed, the longest ones. */
const SLOWEST_FILES = 25;

const read = (path: string): Report['testResults'] =>
  (JSON.parse(readFileSync(path, 'utf8')) as Report).testResults;

/** Files with a failed test, and files that did not load. A file that runs in several projects has several results. */
const failedFiles = (results: Report['testResults']): Set<string> =>
  new Set(results.filter(({ status }) => status === 'failed').map(({ name }) => name));

/** Files that have no result, because their worker or the whole run ended early. */
function missingFiles(path: string, results: Report['testResults']): Set<string> {
  const listed = JSON.parse(readFileSync(`${path}.files`, 'utf8')) as { file: string }[];
  const ran = new Set(results.map(({ name }) => name));
  return new Set(listed.map(({ file }) => file)).difference(ran);
}

/** Files that passed when they were run again. */
function passedWhenRepeated(path: string): Set<string> {
  const reports = [1, 2].map((repeat) => `${path}.repeat${repeat}`).filter((report) => existsSync(report));
  return reports.map(read).reduce<Set<string>>((passed, results) => {
    const ran = new Set(results.map(({ name }) => name));
    return passed.union(ran.difference(failedFiles(results)));
  }, new Set());
}

function printFailed(path: string): void {
  if (!existsSync(path)) return;
  const results = read(path);
  const failed = failedFiles(results).union(missingFiles(path, results));
  for (const name of failed.difference(passedWhenRepeated(path))) console.log(relative('.', name));
}

/** Lists the files that took longest, because they decide how long a run takes. */
function printSlowest(paths: string[]): void {
  const files = paths.filter((path) => existsSync(path)).flatMap(read);
  const seconds = ({ startTime, endTime }: Report['testResults'][number]) => (endTime - startTime) / 1000;
  const slowest = files.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, SLOWEST_FILES);
  for (const file of slowest)
    console.log(`${seconds(file).toFixed(0).padStart(5)} s  ${relative('.', file.name)}`);
}

function count(paths: string[]): void {
  let failed = 0;
  let passed = 0;
  const passedTitles = new Set<string>();
  const skippedTitles = new Set<string>();
  const unstable: string[] = [];
  const failures: string[] = [];

  for (const path of paths) {
    if (!existsSync(path)) {
      console.log(`${path} was not written: the run did not end.`);
      failed++;
      continue;
    }
    const results = read(path);
    const mended = passedWhenRepeated(path);
    for (const name of missingFiles(path, results).difference(mended)) {
      failed++;
      failures.push(`${relative('.', name)}: It was not run.`);
    }
    for (const { name, status, message, assertionResults } of results) {
      const file = relative('.', name);
      const fail = (title: string, reason: string) => {
        const line = `${title}: ${reason.slice(0, LONGEST_FAILURE)}`;
        if (mended.has(name)) {
          passed++;
          unstable.push(line);
        } else {
          failed++;
          failures.push(line);
        }
      };
      if (status === 'failed' && assertionResults.every((test) => test.status !== 'failed'))
        fail(file, message);
      for (const test of assertionResults) {
        const title = `${file} > ${test.fullName}`;
        if (test.status === 'failed') {
          fail(title, test.failureMessages.join('\n'));
        } else if (test.status === 'passed') {
          passed++;
          passedTitles.add(title);
        } else {
          skippedTitles.add(title);
        }
      }
    }
  }

  // A test that one engine skips and another passes counts as passed.
  const skipped = [...skippedTitles.difference(passedTitles)];
  for (const title of skipped) console.log(`skipped: ${title}`);
  for (const line of unstable) console.log(`unstable, passed when its file was run again: ${line}`);
  for (const line of failures) console.log(`failed: ${line}`);
  console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  process.exitCode = failed ? 1 : 0;
}

const [command, ...paths] = process.argv.slice(2);
if (command === 'failed') paths.forEach(printFailed);
else {
  printSlowest(paths);
  count(paths);
}
