import './process.ts';
import { registry } from './registry.ts';

/**
 * The numbers of site and backend as Prometheus reads them.
 * @param askBackend brings the backend's up to date; absent where a project elsewhere has its own
 */
export const numbersOf = (askBackend: (() => Promise<void>) | undefined) => async () => {
  await askBackend?.();
  return { type: registry.contentType, text: await registry.metrics() };
};
