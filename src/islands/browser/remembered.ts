/** A line that somebody gave last on this device, and gives again most of the time. */
export type RememberedLine = { read(): string; save(line: string): void };

/** Where somebody last wrote from in a coverage: the next update begins with it. @param person the id of whoever writes */
export const rememberedDateline = (person: string, coverage: string): RememberedLine =>
  rememberedLine(`stoppress.dateline.${person}.${coverage}`);

/** The credit that somebody gave last: a photographer's own, most of the time. @param person the id of whoever gives it */
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
        // Then it is typed again.
      }
    },
  };
}
