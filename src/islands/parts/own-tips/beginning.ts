/** A longer text is shown by its beginning: so many characters, to the end of a word. */
const SHOWN = 240;

/** The beginning of a text, in at most so many characters, on one line; a text that fits as it is. */
export function beginningOf(text: string, most = SHOWN): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const cut = characters.slice(0, most - 1).join('');
  const end = cut.search(/\s\S*$/);
  return `${(end > most / 2 ? cut.slice(0, end) : cut).trimEnd()}…`;
}
