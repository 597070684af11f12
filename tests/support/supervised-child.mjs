// A child process for tests/unit/server/supervisor.test.ts. Its argument selects its behaviour.
const [how] = process.argv.slice(2);
if (how === 'refuses') process.exit(3);
if (how === 'never') setInterval(() => {}, 1_000);
else {
  const beating = setInterval(() => process.send({ type: 'beat' }), 20);
  process.on('disconnect', () => process.exit(0));
  process.on('SIGTERM', () => {
    if (how === 'deaf') return;
    clearInterval(beating);
    process.exit(0);
  });
  process.send({ type: 'ready', pid: process.pid });
}
