import { newClock, pass, wait } from './clock.ts';
import { type Database, openDatabase } from './database.ts';
import { type Dice, openDice } from './dice.ts';
import type { Law } from './laws.ts';
import { drawProfile, HEALED, type Profile } from './profile.ts';
import { openReader, type Reader } from './readers.ts';
import { openSite, type Site } from './site.ts';

/** How long things go wrong in one world, and how long they are well again then. In milliseconds. */
const TROUBLE_MS = 60_000;
const PEACE_MS = 320_000;

export type Outcome = { seed: number; profile: Profile; rounds: number; broken: ReadonlyMap<Law, string> };

/** Plays one world: the same for the same seed. */
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
  // What a backup that is put back takes away from a reader is not the follower's to mend.
  const readers = profile.restores
    ? []
    : (['socket', 'socket', 'checks', 'checks'] as const).map((by) =>
        openReader({ dice, database, site, profile }, by),
      );
  void write(database, dice, profile, isOver);
  void trouble(site, database, readers, dice, profile, isOver);
  for (let visitor = 0; visitor < 3; visitor++) void visit(site, dice, isOver);
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

const PATHS = ['/', '/live/river', '/live/harbour', '/live/nowhere'];

async function visitOnce(site: Site, path: string) {
  const visit = site.get(path);
  await pass(20_000);
  await visit;
}

async function visit(site: Site, dice: Dice, isOver: () => boolean) {
  while (!isOver()) {
    await wait(dice.between(0, 1_500));
    void site.get(dice.pick(PATHS));
  }
}

async function audit(readers: Reader[]) {
  for (let second = 0; second < (TROUBLE_MS + PEACE_MS) / 1_000; second++) {
    await wait(1_000);
    for (const reader of readers) reader.audit();
  }
}

/** People at their desks. */
async function write(database: Database, dice: Dice, { calm }: Profile, isOver: () => boolean) {
  while (!isOver()) {
    await wait(dice.between(0, calm));
    const act = dice.between(0, 99);
    if (act < 55) database.publish('river');
    else if (act < 60) database.publish('river', dice.between(2, 12));
    else if (act < 75) database.revise('river');
    else if (act < 90) database.withdraw('river');
    else if (act < 93) database.changeSite();
    else if (database.read('harbour')) database.publish('harbour');
    else database.goLive('harbour');
  }
}

/** What else happens. */
async function trouble(
  site: Site,
  database: Database,
  readers: Reader[],
  dice: Dice,
  { cuts, outages, restores }: Profile,
  isOver: () => boolean,
) {
  if (restores) {
    await wait(dice.between(5_000, 15_000));
    database.backUp();
    await wait(dice.between(1_000, 5_000));
    return site.goDown(35_000, () => {
      database.restore();
      site.laws.restored();
    });
  }
  while (!isOver()) {
    await wait(1_000);
    if (dice.chance(cuts / 60)) site.cut(dice.between(0, 5_000));
    for (const reader of readers) {
      if (dice.chance(cuts / 60)) reader.cut(dice.between(0, 5_000));
      if (dice.chance(1 / 60)) void reader.hide(dice.between(0, 10_000));
    }
    if (dice.chance(outages / 60)) {
      const ms = dice.between(200, 8_000);
      for (const reader of readers) reader.cut(ms);
      await site.goDown(ms);
    }
  }
}
