import './process.ts';
import { registry } from './registry.ts';

/**
 * Returns a function that renders the metrics of site and backend in Prometheus' text format.
 * @param askBackend updates the backend's metrics; absent for a hosted project
 */
export const numbersOf = (askBackend: (() => Promise<void>) | undefined) => async () => {
  await askBackend?.();
  return { type: registry.contentType, text: await registry.metrics() };
};
