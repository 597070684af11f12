/** What an open page loads so that it follows its coverage by checks: kilobytes, as they are sent (tests/budget/scripts.json). */
export const FOLLOWING_KB = 62;
