/** A line that somebody gave last on this device, and gives again most of the time. */
export type Remembered = { read(): string; keep(line: string): void };

/** Where somebody last wrote from in a coverage: the next update begins with it. @param person the id of whoever writes */
export const rememberedDateline = (person: string, coverage: string): Remembered =>
  remembered(`stoppress.dateline.${person}.${coverage}`);

/** The credit that somebody gave last: a photographer's own, most of the time. @param person the id of whoever gives it */
export const rememberedCredit = (person: string): Remembered => remembered(`stoppress.credit.${person}`);

function remembered(place: string): Remembered {
  return {
    read() {
      try {
        return localStorage.getItem(place) ?? '';
      } catch {
        return '';
      }
    },
    keep(line) {
      try {
        if (line.trim()) localStorage.setItem(place, line);
        else localStorage.removeItem(place);
      } catch {
        // Then it is typed again.
      }
    },
  };
}
