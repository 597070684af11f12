/** Makes a button copy the text of a field and announce the result. Without a script the button is hidden. */
export function copyOnPress(field: string, button: string, statusId: string): void {
  const text = document.getElementById(field) as HTMLTextAreaElement | null;
  const buttonElement = document.getElementById(button);
  const status = document.getElementById(statusId);
  if (!text || !buttonElement || !status) return;
  buttonElement.hidden = false;
  buttonElement.addEventListener('click', () => {
    text.select();
    // The clipboard is not available over plain HTTP.
    const copied = navigator.clipboard?.writeText(text.value) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => (status.textContent = buttonElement.dataset.copied ?? ''),
      () => (status.textContent = buttonElement.dataset.notCopied ?? ''),
    );
  });
}
