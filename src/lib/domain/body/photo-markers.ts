/**
 * Matches a photo marker: a line with the photo's position in the update, counted from 1, such as `[photo 2]`, in any
 * language of the interface. A marker without a photo is plain text.
 */
const PHOTO_MARKER = /^[^\S\n]*\[(?:photo|foto) ([1-9]\d?)\][^\S\n]*$/i;

/** Whether the line is a photo marker. */
export const isPhotoMarker = (line: string): boolean => PHOTO_MARKER.test(line);

/**
 * Splits a text at its photo markers.
 * @param count number of photos of the update
 * @returns text parts (strings) and photo positions (numbers from 0). A repeated marker or one without a photo is
 * text.
 */
export function splitAtPhotoMarkers(source: string, count: number): (string | number)[] {
  const parts: (string | number)[] = [];
  let lines: string[] = [];
  const placed = new Set<number>();
  for (const line of source.split('\n')) {
    const index = Number(PHOTO_MARKER.exec(line)?.[1] ?? 0) - 1;
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

/** Returns the range of a photo marker with the empty lines after it; null if the text has no marker for this photo. */
export function photoMarkerRange(source: string, index: number): { from: number; to: number } | null {
  let from = 0;
  for (const line of source.split('\n')) {
    if (Number(PHOTO_MARKER.exec(line)?.[1] ?? 0) - 1 === index) {
      const rest = /^\n*/.exec(source.slice(from + line.length))?.[0].length ?? 0;
      return { from, to: from + line.length + rest };
    }
    from += line.length + 1;
  }
  return null;
}

/** Rewrites the number in every photo marker. Removes the line if `place` returns null. */
export function renumberPhotoMarkers(source: string, place: (index: number) => number | null): string {
  const lines = source.split('\n').flatMap((line) => {
    const number = PHOTO_MARKER.exec(line)?.[1];
    if (!number) return [line];
    const to = place(Number(number) - 1);
    return to === null ? [] : [line.replace(number, `${to + 1}`)];
  });
  return lines.join('\n');
}

/** Removes the marker of a deleted photo and renumbers the others. */
export function withoutPhotoMarker(source: string, index: number): string {
  return renumberPhotoMarkers(source, (other) =>
    other === index ? null : other > index ? other - 1 : other,
  );
}
