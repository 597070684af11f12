import {
  BACKGROUND,
  contrast,
  DEFAULT_ACCENT,
  isColour,
  isReadableAccent,
  SCHEMES,
  type Scheme,
} from '../../lib/domain/colours.ts';

/** Form fields of the accent colours. */
const FIELDS: Record<Scheme, string> = { light: 'accent', dark: 'accent_dark' };

/** Shows the browser's colour pickers, and keeps field, picker and sample of each colour equal while it is chosen. */
export function setUpColourPickers(): void {
  for (const scheme of SCHEMES) {
    const field = document.querySelector<HTMLInputElement>(`input[name="${FIELDS[scheme]}"]`);
    const picker = document.querySelector<HTMLInputElement>(`[data-picker="${FIELDS[scheme]}"]`);
    if (!field || !picker) continue;
    picker.hidden = false;
    picker.addEventListener('input', () => {
      field.value = picker.value;
      showSample(scheme, picker.value);
    });
    field.addEventListener('input', () => {
      const colour = field.value.trim().toLowerCase() || DEFAULT_ACCENT[scheme];
      if (!isColour(colour)) return;
      picker.value = colour;
      showSample(scheme, colour);
    });
  }
}

/** Shows a colour in its sample with its contrast, rounded down as on the server, and whether text can be read in it. */
function showSample(scheme: Scheme, colour: string): void {
  const sample = document.querySelector<HTMLElement>(`[data-scheme="${scheme}"]`);
  const note = sample?.querySelector<HTMLElement>('[data-contrast]');
  if (!sample || !note) return;
  sample.style.setProperty('--accent', colour);
  const ratio = Math.floor(contrast(colour, BACKGROUND[scheme]) * 10) / 10;
  const text = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1 }).format(
    ratio,
  );
  const faint = isReadableAccent(colour, scheme) ? '' : `, ${note.dataset.faint}`;
  note.textContent = (note.dataset.contrast ?? '').replace('{ratio}', text) + faint;
}
