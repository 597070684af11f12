/** Puts a fault of ours into the log; answers the id that it has there, which is all that anybody else is told. */
export function logFault(error: unknown): string {
  const id = crypto.randomUUID().slice(0, 8);
  console.error(`fault ${id}:`, error);
  return id;
}
