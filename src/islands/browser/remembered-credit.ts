/** The credit that somebody gave last on this device: a photographer's own, most of the time. */
export type RememberedCredit = { read(): string; keep(credit: string): void };

/** @param person the id of whoever gives it */
export function rememberedCredit(person: string): RememberedCredit {
  const place = `stoppress.credit.${person}`;
  return {
    read() {
      try {
        return localStorage.getItem(place) ?? '';
      } catch {
        return '';
      }
    },
    keep(credit) {
      try {
        localStorage.setItem(place, credit);
      } catch {
        // Then it is typed again.
      }
    },
  };
}
