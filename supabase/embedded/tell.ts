/** Tells the process that started us, when it is one that listens, and waits until it has heard. */
export function tell(message: object): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
