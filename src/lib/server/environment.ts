/**
 * Reads `.env` of the working folder into the environment, where there is one. What is set already stays.
 * @param except names of variables that count only when whoever starts this has set them
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
