type Session = import('./lib/auth/session.server.ts').Session;

declare namespace App {
  /** Set on private routes only: a public page is the same for every visitor and reads no cookie. */
  interface Locals extends Partial<Session> {}
}
