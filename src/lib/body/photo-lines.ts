/**
 * A photo stands in a text at a line of its own that names it by its place among the photos of the update, from 1:
 * `[photo 2]`, in each language that the product speaks. Such a line stands for a photo only while there is one.
 */
const LINE = /^[^\S\n]*\[(?:photo|foto) ([1-9]\d?)\][^\S\n]*$/i;

/** Whether a line would be read as the place of a photo. */
export const isPhotoLine = (line: string): boolean => LINE.test(line);

/**
 * Takes a text apart at the lines that name photos.
 * @param count how many photos there are
 * @returns stretches of text, and places of photos from 0, each once; a second line for one, or for none, is text
 */
export function partsOf(source: string, count: number): (string | number)[] {
  const parts: (string | number)[] = [];
  let lines: string[] = [];
  const placed = new Set<number>();
  for (const line of source.split('\n')) {
    const index = Number(LINE.exec(line)?.[1] ?? 0) - 1;
    if (index < 0 || index >= count || placed.has(index)) {
      lines.push(line);
      continue;
    }
    placed.add(index);
    parts.push(lines.join('\n'), index);
    lines = [];
  }
  return [...parts, lines.join('\n')];
}

/** Where the line of a photo stands in a text, with the empty lines after it; null where it stands after the text. */
export function lineOfPhoto(source: string, index: number): { from: number; to: number } | null {
  let from = 0;
  for (const line of source.split('\n')) {
    if (Number(LINE.exec(line)?.[1] ?? 0) - 1 === index) {
      const rest = /^\n*/.exec(source.slice(from + line.length))?.[0].length ?? 0;
      return { from, to: from + line.length + rest };
    }
    from += line.length + 1;
  }
  return null;
}

/** The text with every line of a photo naming another place; without it where there is none. */
export function renumbered(source: string, place: (index: number) => number | null): string {
  const lines = source.split('\n').flatMap((line) => {
    const number = LINE.exec(line)?.[1];
    if (!number) return [line];
    const to = place(Number(number) - 1);
    return to === null ? [] : [line.replace(number, `${to + 1}`)];
  });
  return lines.join('\n');
}

/** The text of an update that has one photo less. */
export function withoutPhoto(source: string, index: number): string {
  return renumbered(source, (other) => (other === index ? null : other > index ? other - 1 : other));
}
