/** Counts since the start of the process, for operators. */
export const counters = {
  jobs_failed: 0,
  mails_sent: 0,
  mails_failed: 0,
  functions_started: 0,
  functions_failed: 0,
  backups_failed: 0,
  realtime_slow_sockets_dropped: 0,
  database_waits_given_up: 0,
  database_restarts: 0,
};
