declare namespace App {
  /** Set on private routes only: a public page is the same for every visitor and reads no cookie. */
  interface Locals extends Partial<import('./lib/auth/session.server.ts').Session> {}
}
