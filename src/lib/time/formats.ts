/** What a moment is given as: an ISO 8601 string with its zone, as the database writes it, or a Date. */
export type Moment = string | Date;

export const toDate = (at: Moment): Date => (typeof at === 'string' ? new Date(at) : at);

const made = new Map<string, Intl.DateTimeFormat>();

/**
 * The formatter for a language, a zone and a form. Making one costs more than rendering an update, so each is
 * made once; there are as many as newsrooms use languages and zones.
 */
export function formatter(
  language: string,
  timeZone: string,
  form: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = `${language} ${timeZone} ${JSON.stringify(form)}`;
  let format = made.get(key);
  if (!format) {
    format = make(language, timeZone, form);
    made.set(key, format);
  }
  return format;
}

/** What the database takes as a language or a zone and Intl does not know is told in English, or in UTC. */
function make(language: string, timeZone: string, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const attempts: [string, string][] = [
    [language, timeZone],
    ['en-GB', timeZone],
    [language, 'UTC'],
  ];
  for (const [tag, zone] of attempts) {
    try {
      return new Intl.DateTimeFormat(tag, { ...form, timeZone: zone });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return new Intl.DateTimeFormat('en-GB', { ...form, timeZone: 'UTC' });
}
