/** Selects the browser's time zone in the setup form, if the list has it. The person can choose another. */
export function proposeTimeZone(): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const list = document.querySelector<HTMLSelectElement>('select[name="time_zone"]');
  if (list && [...list.options].some(({ value }) => value === timeZone)) list.value = timeZone;
}
