/** Reads `.env` of the working folder into the environment, where there is one. What is set already stays. */
export function loadEnvironment(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
