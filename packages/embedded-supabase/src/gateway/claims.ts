import type { JWTPayload } from 'jose';

export const ROLES = ['anon', 'authenticated', 'service_role'] as const;

/** The roles of PostgreSQL that a request may run as. */
export type Role = (typeof ROLES)[number];

/** Claims of the caller for the database: those of an access token, or of an API key. */
export type Claims = JWTPayload & { role: Role };

export const isRole = (value: unknown): value is Role => ROLES.includes(value as Role);
