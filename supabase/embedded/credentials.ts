import type { HonoRequest } from 'hono';

/** What a body says of an account, as far as limits look at it; '' where it says nothing. */
export type Credentials = { email: string; password: string };

/** Reads a body that the service behind will read again, and judge, by itself. */
export async function credentials(request: HonoRequest): Promise<Credentials> {
  const body: unknown = await request.json().catch(() => undefined);
  const { email, password } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  return {
    email: typeof email === 'string' ? email.trim().toLowerCase() : '',
    password: typeof password === 'string' ? password : '',
  };
}

/**
 * Whether a body can be given to the service behind, which answers a fault to anything but an object whose address
 * and password are texts; PostgreSQL takes no NUL in a text.
 */
export async function isSound(request: HonoRequest): Promise<boolean> {
  try {
    const body: unknown = JSON.parse(await request.text(), (_key, value: unknown) => {
      if (typeof value === 'string' && value.includes('\0')) throw new Error('NUL');
      return value;
    });
    if (typeof body !== 'object' || body === null) return false;
    const { email = '', password = '' } = body as Record<string, unknown>;
    return typeof email === 'string' && typeof password === 'string';
  } catch {
    return false;
  }
}

/** A password that everybody knows who knows the address. Its length is GoTrue's own rule. */
export function isOwnEmail({ password }: Credentials, email: unknown): boolean {
  return password !== '' && password.toLowerCase() === email;
}
