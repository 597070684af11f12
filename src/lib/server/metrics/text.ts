import './process.ts';
import { registry } from './registry.ts';

/**
 * Returns a function that renders the metrics of site and backend in Prometheus' text format.
 * @param updateBackend updates the backend's metrics; absent for a hosted project
 */
export const createMetrics = (updateBackend: (() => Promise<void>) | undefined) => async () => {
  await updateBackend?.();
  return { type: registry.contentType, text: await registry.metrics() };
};
