/** Has a button copy the text of a field, and say so; without a script there is none, and the text is there to be marked. */
export function copyOnPress(field: string, button: string, saying: string): void {
  const text = document.getElementById(field) as HTMLTextAreaElement | null;
  const press = document.getElementById(button);
  const said = document.getElementById(saying);
  if (!text || !press || !said) return;
  press.hidden = false;
  press.addEventListener('click', () => {
    text.select();
    // Not where the site is reached by bare http.
    const copied = navigator.clipboard?.writeText(text.value) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => (said.textContent = press.dataset.copied ?? ''),
      () => (said.textContent = press.dataset.notCopied ?? ''),
    );
  });
}
