import { newClock, pass, wait } from './clock.ts';
import { type Database, openDatabase } from './database.ts';
import { type Dice, openDice } from './dice.ts';
import type { Law } from './laws.ts';
import { drawProfile, HEALED, type Profile } from './profile.ts';
import { openReader, type Reader } from './readers.ts';
import { openSite, type Site } from './site.ts';

/** Duration of the failures, and of the recovery. In ms. */
const TROUBLE_MS = 60_000;
const PEACE_MS = 320_000;

export type Outcome = { seed: number; profile: Profile; rounds: number; broken: ReadonlyMap<Law, string> };

/** Runs one world. The same seed gives the same world. */
export async function play(seed: number): Promise<Outcome> {
  newClock();
  const dice = openDice(seed);
  const drawn = drawProfile(dice);
  const profile = { ...drawn };
  const database = openDatabase(dice);
  const site = openSite(dice, database, profile);
  const end = Date.now() + TROUBLE_MS;
  const isOver = () => Date.now() >= end;

  database.goLive('river');
  // The follower need not correct what a restore removes from a reader.
  const readers = profile.restores
    ? []
    : (['socket', 'socket', 'checks', 'checks'] as const).map((by) =>
        openReader({ dice, database, site, profile }, by),
      );
  void work(site, database, dice, profile, isOver);
  void trouble(site, readers, dice, profile, isOver);
  for (let visitor = 0; visitor < 4; visitor++) void visit(site, database, dice, profile, isOver);
  void audit(readers);

  await pass(TROUBLE_MS);
  const rounds = database.now();
  Object.assign(profile, HEALED);
  await pass(PEACE_MS);
  for (const reader of readers) {
    reader.expectCurrent();
    reader.leave();
  }
  for (const path of PATHS) await visitOnce(site, path);
  site.stop();
  return { seed, profile: drawn, rounds, broken: site.laws.broken };
}

/** Coverages without readers. They start as drafts. */
const OTHERS = ['harbour', 'market', 'bridge'];
const PATHS = ['/', '/live/river', ...OTHERS.map((slug) => `/live/${slug}`), '/live/nowhere'];

async function visitOnce(site: Site, path: string) {
  const visit = site.get(path);
  await pass(20_000);
  await visit;
}

async function visit(
  site: Site,
  database: Database,
  dice: Dice,
  { strangers }: Profile,
  isOver: () => boolean,
) {
  while (!isOver()) {
    await wait(dice.between(0, 1_500));
    const path = dice.pick(PATHS);
    const slug = path.split('/')[2];
    if (strangers || !slug || database.read(slug)) void site.get(path);
  }
}

async function audit(readers: Reader[]) {
  for (let second = 0; second < (TROUBLE_MS + PEACE_MS) / 1_000; second++) {
    await wait(1_000);
    for (const reader of readers) reader.audit();
  }
}

async function write(database: Database, dice: Dice, { calm }: Profile, isOver: () => boolean) {
  while (!isOver()) {
    await wait(dice.between(0, calm));
    const act = dice.between(0, 99);
    if (act < 45) database.publish('river');
    else if (act < 50) database.publish('river', dice.between(2, 12));
    else if (act < 65) database.revise('river');
    else if (act < 85) database.withdraw('river');
    else if (act < 88) database.changeSite();
    else {
      const slug = dice.pick(OTHERS);
      if (database.read(slug)) database.publish(slug);
      else database.goLive(slug);
    }
  }
}

/** People at their desks. In some worlds a backup is restored. */
async function work(site: Site, database: Database, dice: Dice, profile: Profile, isOver: () => boolean) {
  if (profile.restores) {
    const at = Date.now() + dice.between(5_000, 20_000);
    await write(database, dice, profile, () => Date.now() >= at);
    await putBack(site, database, dice, profile);
  }
  await write(database, dice, profile, isOver);
}

async function putBack(site: Site, database: Database, dice: Dice, { longest }: Profile) {
  database.backUp();
  database.publish('river', 5);
  // The site learns it and renders pages.
  await wait(2 * longest + 5_000);
  const seqs = database.seqs();
  // Without a sequence, a restore can only be detected by the outage of the backend.
  const isHidden = dice.chance(0.5);
  await site.goDown(isHidden ? 35_000 : dice.between(0, 35_000), () => {
    database.restore();
    if (isHidden) catchUp(database, seqs);
  });
  await wait(site.laws.slack);
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
async function trouble(
  site: Site,
  readers: Reader[],
  dice: Dice,
  { cuts, outages }: Profile,
  isOver: () => boolean,
) {
  while (!isOver()) {
    await wait(1_000);
    if (dice.chance(cuts / 60)) site.cut(dice.between(0, 5_000));
    for (const reader of readers) {
      if (dice.chance(cuts / 60)) reader.cut(dice.between(0, dice.pick([5_000, 40_000])));
      if (dice.chance(1 / 60)) void reader.hide(dice.between(0, 10_000));
    }
    if (dice.chance(outages / 60)) {
      const ms = dice.between(200, 8_000);
      for (const reader of readers) reader.cut(ms);
      await site.goDown(ms);
    }
    if (dice.chance(outages / 60)) await site.fail(dice.between(200, 8_000));
  }
}
