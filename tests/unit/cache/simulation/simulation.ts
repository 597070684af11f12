import { type SeededRandom, seededRandom } from '../../../support/random.ts';
import { newClock, pass, wait } from './clock.ts';
import { type Database, openDatabase } from './database.ts';
import type { Invariant } from './invariants.ts';
import { drawProfile, HEALED, type Profile } from './profile.ts';
import { openReader, type Reader } from './readers.ts';
import { openSite, type Site } from './site.ts';

/** Duration of the failures, and of the recovery. In ms. */
const FAULTS_MS = 60_000;
const RECOVERY_MS = 320_000;

export type Outcome = {
  seed: number;
  profile: Profile;
  rounds: number;
  violations: ReadonlyMap<Invariant, string>;
};

/** Runs one world. The same seed gives the same world. */
export async function runSimulation(seed: number): Promise<Outcome> {
  newClock();
  const random = seededRandom(seed);
  const drawn = drawProfile(random);
  const profile = { ...drawn };
  const database = openDatabase(random);
  const site = openSite(random, database, profile);
  const end = Date.now() + FAULTS_MS;
  const isOver = () => Date.now() >= end;

  database.goLive('river');
  // The follower need not correct what a restore removes from a reader.
  const readers = profile.restores
    ? []
    : (['socket', 'socket', 'checks', 'checks'] as const).map((by) =>
        openReader({ random, database, site, profile }, by),
      );
  void work(site, database, random, profile, isOver);
  void causeFaults(site, readers, random, profile, isOver);
  for (let visitor = 0; visitor < 4; visitor++) void visit(site, database, random, profile, isOver);
  void audit(readers);

  await pass(FAULTS_MS);
  const rounds = database.now();
  Object.assign(profile, HEALED);
  await pass(RECOVERY_MS);
  for (const reader of readers) {
    reader.expectCurrent();
    reader.leave();
  }
  for (const path of PATHS) await visitOnce(site, path);
  site.stop();
  return { seed, profile: drawn, rounds, violations: site.invariants.violations };
}

/** Coverages without readers. They start as drafts. */
const OTHERS = ['harbour', 'market', 'bridge'];
const PATHS = [
  '/',
  '/live/river',
  '/live/river?list=1',
  '/live/river?list=2',
  '/live/river?list=3',
  ...OTHERS.map((slug) => `/live/${slug}`),
  '/live/nowhere',
];

async function visitOnce(site: Site, path: string) {
  const visit = site.get(path);
  await pass(20_000);
  await visit;
}

async function visit(
  site: Site,
  database: Database,
  random: SeededRandom,
  { requestsUnknown }: Profile,
  isOver: () => boolean,
) {
  while (!isOver()) {
    await wait(random.between(0, 1_500));
    const path = random.pick(PATHS);
    const slug = path.split(/[/?]/)[2];
    if (requestsUnknown || !slug || database.read(slug)) void site.get(path);
  }
}

async function audit(readers: Reader[]) {
  for (let second = 0; second < (FAULTS_MS + RECOVERY_MS) / 1_000; second++) {
    await wait(1_000);
    for (const reader of readers) reader.audit();
  }
}

async function write(
  database: Database,
  random: SeededRandom,
  { maxPauseMs }: Profile,
  isOver: () => boolean,
) {
  while (!isOver()) {
    await wait(random.between(0, maxPauseMs));
    const act = random.between(0, 99);
    if (act < 45) database.publish('river');
    else if (act < 50) database.publish('river', random.between(2, 12));
    else if (act < 65) database.revise('river');
    else if (act < 85) database.withdraw('river');
    else if (act < 88) database.changeSite();
    else {
      const slug = random.pick(OTHERS);
      if (database.read(slug)) database.publish(slug);
      else database.goLive(slug);
    }
  }
}

/** People at their desks. In some worlds a backup is restored. */
async function work(
  site: Site,
  database: Database,
  random: SeededRandom,
  profile: Profile,
  isOver: () => boolean,
) {
  if (profile.restores) {
    const at = Date.now() + random.between(5_000, 20_000);
    await write(database, random, profile, () => Date.now() >= at);
    await restoreBackup(site, database, random, profile);
  }
  await write(database, random, profile, isOver);
}

async function restoreBackup(site: Site, database: Database, random: SeededRandom, { longest }: Profile) {
  database.backUp();
  database.publish('river', 5);
  // The site learns it and renders pages.
  await wait(2 * longest + 5_000);
  const seqs = database.seqs();
  // Without a sequence, a restore can only be detected by the outage of the backend.
  const isHidden = random.chance(0.5);
  await site.goDown(isHidden ? 35_000 : random.between(0, 35_000), () => {
    database.restore();
    if (isHidden) catchUp(database, seqs);
  });
  await wait(site.invariants.slack);
}

/** Makes other changes until the sequences are equal again, so that they reveal nothing. */
function catchUp(database: Database, { coverages }: ReturnType<Database['seqs']>) {
  for (const { seq, slugs } of coverages.values()) {
    for (const slug of slugs) {
      const missing = seq - (database.read(slug)?.seq ?? 0);
      if (missing > 0) database.publish(slug, missing);
    }
  }
}

/** Other failures. */
async function causeFaults(
  site: Site,
  readers: Reader[],
  random: SeededRandom,
  { cuts, outages }: Profile,
  isOver: () => boolean,
) {
  while (!isOver()) {
    await wait(1_000);
    if (random.chance(cuts / 60)) site.cut(random.between(0, 5_000));
    for (const reader of readers) {
      if (random.chance(cuts / 60)) reader.cut(random.between(0, random.pick([5_000, 40_000])));
      if (random.chance(1 / 60)) void reader.hide(random.between(0, 10_000));
    }
    if (random.chance(outages / 60)) {
      const ms = random.between(200, 8_000);
      for (const reader of readers) reader.cut(ms);
      await site.goDown(ms);
    }
    if (random.chance(outages / 60)) await site.fail(random.between(200, 8_000));
  }
}
