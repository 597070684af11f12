import { Registry } from 'prom-client';

/** The numbers of this process. */
export const registry = new Registry();
