import { expect, test } from 'vitest';
import { filesOfDesk, type Script } from '../../../src/lib/server/build/build-scripts.ts';

const script = (fileName: string, part: Partial<Script> = {}): Script => ({
  fileName: `_astro/${fileName}`,
  moduleIds: [],
  facadeModuleId: null,
  imports: [],
  dynamicImports: [],
  ...part,
});

const build = [
  script('client.js', {
    moduleIds: ['/site/src/islands/network/hydrate.ts'],
    dynamicImports: ['_astro/spanish.js'],
  }),
  script('spanish.js'),
  script('offline.js', { moduleIds: ['/site/src/islands/OfflineDesk.tsx'], imports: ['_astro/shared.js'] }),
  script('shared.js', { imports: ['_astro/client.js'], dynamicImports: ['_astro/upload.js'] }),
  script('upload.js', { imports: ['_astro/shared.js'] }),
  // A re-export.
  script('composer.js', {
    facadeModuleId: '/site/src/islands/UpdateComposer.tsx',
    imports: ['_astro/shared.js'],
  }),
  script('page.js', { moduleIds: ['/site/src/layouts/DeskPage.astro?astro&type=script&index=0'] }),
  script('readers.js', { moduleIds: ['/site/src/islands/LiveFeed.tsx'], imports: ['_astro/client.js'] }),
];

test('lists all files that the desk loads, and none that only readers load', () => {
  expect(filesOfDesk(build, '/site')).toEqual(
    ['client', 'composer', 'offline', 'page', 'shared', 'spanish', 'upload'].map(
      (name) => `/_astro/${name}.js`,
    ),
  );
});

test("fails without the desk's island", () => {
  const without = build.filter(({ fileName }) => fileName !== '_astro/offline.js');
  expect(() => filesOfDesk(without, '/site')).toThrow('src/islands/OfflineDesk.tsx');
});
