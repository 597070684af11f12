/**
 * Loads `.env` of the working folder, if it exists. Variables that are already set win.
 * @param except variables that are ignored in `.env`
 */
export function loadEnvironment(except: string[] = []): void {
  const before = new Set(Object.keys(process.env));
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  for (const name of except) if (!before.has(name)) delete process.env[name];
}
