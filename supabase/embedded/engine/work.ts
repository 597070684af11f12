import { AsyncLocalStorage } from 'node:async_hooks';

/** Limits of the statements that belong to one piece of work, such as a request. */
export type WorkLimits = {
  /** Most bytes that one statement may return, counted as PostgreSQL sends its values. */
  maxResultBytes?: number;
};

const current = new AsyncLocalStorage<WorkLimits>();

/**
 * Runs work whose statements have these limits, whichever layer sends them. Inner limits replace outer ones.
 *
 * `maxResultBytes` bounds the rows of one statement before they reach this process: the statement then fails with
 * `PT413` and its transaction is rolled back. It is checked between rows, so one row can be larger: bound what makes a
 * row large (embedded tables, casts, aliases) in the query.
 */
export const withLimits = <Result>(limits: WorkLimits, work: () => Result): Result =>
  current.run({ ...current.getStore(), ...limits }, work);

/** The limits of the work at hand; none outside `withLimits`. */
export const workLimits = (): WorkLimits => current.getStore() ?? {};
