/** A line of text that this browser remembers from its last use. */
export type RememberedLine = { read(): string; save(line: string): void };

/**
 * Last dateline of a person in a coverage.
 * @param person id of the person
 */
export const rememberedDateline = (person: string, coverage: string): RememberedLine =>
  rememberedLine(`stoppress.dateline.${person}.${coverage}`);

/**
 * Last photo credit that a person entered.
 * @param person id of the person
 */
export const rememberedCredit = (person: string): RememberedLine =>
  rememberedLine(`stoppress.credit.${person}`);

function rememberedLine(key: string): RememberedLine {
  return {
    read() {
      try {
        return localStorage.getItem(key) ?? '';
      } catch {
        return '';
      }
    },
    save(line) {
      try {
        if (line.trim()) localStorage.setItem(key, line);
        else localStorage.removeItem(key);
      } catch {
        // Without local storage it is typed again.
      }
    },
  };
}
