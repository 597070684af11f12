import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { phpText, startWordPress, type WordPress } from '../support/wordpress/wordpress.ts';

/* The identity that a transfer brings over from Twenty Twenty-Four, a block theme that comes with WordPress. */

let wordpress: WordPress;
beforeAll(async () => {
  wordpress = await startWordPress('6.4');
});
afterAll(() => wordpress?.stop());

/** Accent colour of the palette of Twenty Twenty-Four. */
const THEME_ACCENT = '#cfcabe';

type Content = { accent?: string; logo?: string; menu?: { label: string; url: string }[] };

/** Returns what a transfer sends on the order of an administrator, after PHP code that prepares WordPress. */
const contentAfter = (code: string): Promise<Content> =>
  wordpress.php(
    `wp_set_current_user( 1 ); kses_init(); ${code} return Stoppress\\transfer_content( array() );`,
  );

beforeEach(() =>
  wordpress.php(`
    foreach ( get_posts( array( 'post_type' => array( 'wp_navigation', 'wp_template_part', 'wp_global_styles', 'page' ), 'post_status' => 'any', 'numberposts' => -1 ) ) as $post ) {
      wp_delete_post( $post->ID, true );
    }
    foreach ( wp_get_nav_menus() as $menu ) {
      wp_delete_nav_menu( $menu );
    }
    remove_theme_mods();
    delete_option( 'site_logo' );
    return true;`),
);

describe('the accent colour', () => {
  /** Saves styles and settings as the site editor does. */
  const saveStyles = (styles: object, settings: object = {}) => `
    wp_update_post( array(
      'ID' => WP_Theme_JSON_Resolver::get_user_global_styles_post_id(),
      'post_content' => wp_slash( ${phpText(JSON.stringify({ styles, settings, version: 2, isGlobalStylesUserThemeJSON: true }))} ),
    ) );
    wp_clean_theme_json_cache();`;
  const link = (text: string) => ({ elements: { link: { color: { text } } } });
  const accent = (color: string) => [{ slug: 'accent', name: 'Accent', color }];

  test.for([
    ['is that of the theme’s palette', {}, {}, THEME_ACCENT],
    ['is that of links', link('#0A5FB4'), {}, '#0a5fb4'],
    ['is the colour of the palette that links have', link('var:preset|color|accent-3'), {}, '#d8613c'],
    ['is the variable that links have', link('var(--wp--preset--color--accent-3)'), {}, '#d8613c'],
    [
      'is that of buttons when links are grey',
      { elements: { link: { color: { text: '#777' } }, button: { color: { background: '#0a5' } } } },
      {},
      '#00aa55',
    ],
    [
      'is the one that the newsroom gave to the palette',
      {},
      { color: { palette: { theme: accent('#123456') } } },
      '#123456',
    ],
    [
      'is the one that the newsroom added',
      {},
      { color: { palette: { custom: accent('#654321') } } },
      '#654321',
    ],
    ['is no text that could end a style', link('red;}</style>'), {}, THEME_ACCENT],
    ['is no colour in another notation', link('rgb(10, 95, 180)'), {}, THEME_ACCENT],
  ] as const)('%s', async ([, styles, settings, colour]) => {
    expect((await contentAfter(saveStyles(styles, settings))).accent).toBe(colour);
  });
});

describe('the menu', () => {
  /** Writes a block as the editor does. */
  const block = (name: string, attributes: object, content = '') => {
    const json = JSON.stringify(attributes).replace(
      /[<>&]/g,
      (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
    );
    return `<!-- wp:${name} ${json} -->${content}<!-- /wp:${name} -->`;
  };
  const link = (label: string, url: string, more: object = {}) =>
    block('navigation-link', { label, url, kind: 'custom', ...more });
  const insert = (type: string, content: string, more = '') =>
    `wp_insert_post( wp_slash( array( 'post_type' => '${type}', 'post_status' => 'publish', 'post_title' => 'A title', 'post_content' => ${phpText(content)} ${more} ) ) )`;
  /** Replaces the header, as the site editor does. */
  const header = (content: string) => `
    $header = ${insert('wp_template_part', content, ", 'post_name' => 'header'")};
    wp_set_object_terms( $header, get_stylesheet(), 'wp_theme' );
    wp_set_object_terms( $header, 'header', 'wp_template_part_area' );`;

  test('is the newest menu of the site editor when the header names none', async () => {
    const { menu } = await contentAfter(`
      ${insert('page', '', ", 'post_name' => 'about'")};
      $draft = wp_insert_post( array( 'post_type' => 'page', 'post_status' => 'draft', 'post_title' => 'Secret' ) );
      ${insert(
        'wp_navigation',
        [
          link('<strong>Sport</strong> &amp; more', 'https://courier.example/sport'),
          link('Weather', '/weather'),
          link('Evil', 'javascript:alert(1)'),
          link('', 'https://courier.example/unnamed'),
          block(
            'navigation-submenu',
            { label: 'Town', url: 'https://courier.example/town' },
            link('Below', 'https://courier.example/below'),
          ),
          block('home-link', { label: 'Front page' }),
          block('search', { label: 'Search' }),
          block('page-list', {}),
        ].join('\n'),
      )};`);
    expect(menu).toEqual([
      { label: 'Sport & more', url: 'https://courier.example/sport' },
      { label: 'Weather', url: `${wordpress.url}/weather` },
      { label: 'Town', url: 'https://courier.example/town' },
      { label: 'Front page', url: `${wordpress.url}/` },
      { label: 'A title', url: expect.stringContaining('page_id=') },
    ]);
  });

  test('is the menu that the header names, without links to pages that readers cannot see', async () => {
    const { menu } = await contentAfter(`
      $draft = wp_insert_post( array( 'post_type' => 'page', 'post_status' => 'draft', 'post_title' => 'Secret' ) );
      $content = str_replace( '"id":0', '"id":' . $draft, ${phpText(
        link('Secret', 'https://courier.example/secret', { kind: 'post-type', id: 0 }) +
          link('Named', 'https://courier.example/named'),
      )} );
      $named = wp_insert_post( wp_slash( array( 'post_type' => 'wp_navigation', 'post_status' => 'publish', 'post_title' => 'Named', 'post_content' => $content ) ) );
      ${header('<!-- wp:group --><!-- wp:navigation {"ref":0} /--><!-- /wp:group -->').replace('"ref":0', `"ref":' . $named . '`)}
      ${insert('wp_navigation', link('Newer', 'https://courier.example/newer'))};`);
    expect(menu).toEqual([{ label: 'Named', url: 'https://courier.example/named' }]);
  });

  test('may be in a pattern of the theme, with the links that the pattern has', async () => {
    const pattern = block('navigation', {}, link('In a pattern', 'https://courier.example/pattern'));
    const { menu } = await contentAfter(`
      register_block_pattern( 'courier/header', array( 'title' => 'Header', 'content' => ${phpText(pattern)} ) );
      ${header('<!-- wp:pattern {"slug":"courier/header"} /-->')}`);
    expect(menu).toEqual([{ label: 'In a pattern', url: 'https://courier.example/pattern' }]);
  });

  test('ends although a pattern contains itself', async () => {
    const { menu } = await contentAfter(`
      register_block_pattern( 'courier/loop', array( 'title' => 'Loop', 'content' => '<!-- wp:pattern {"slug":"courier/loop"} /-->' ) );
      ${header('<!-- wp:pattern {"slug":"courier/loop"} /-->')}`);
    expect(menu).toBeUndefined();
  });

  test('is a classic menu where the site editor has none, and none is created', async () => {
    const { menu } = await contentAfter(`
      $menu = wp_create_nav_menu( 'Main' );
      wp_update_nav_menu_item( $menu, 0, array( 'menu-item-title' => 'Classic', 'menu-item-url' => 'https://courier.example/classic', 'menu-item-status' => 'publish' ) );
      register_nav_menus( array( 'primary' => 'Main' ) );
      set_theme_mod( 'nav_menu_locations', array( 'primary' => $menu ) );`);
    expect(menu).toEqual([{ label: 'Classic', url: 'https://courier.example/classic' }]);
    const count = `return count( get_posts( array( 'post_type' => 'wp_navigation', 'post_status' => 'any' ) ) );`;
    expect(await wordpress.php(count)).toBe(0);
  });
});

describe('a logo that is a JPEG', () => {
  const makeLogo = async () => {
    const jpeg = await sharp({ create: { width: 1200, height: 400, channels: 3, background: '#0a5fb4' } })
      .jpeg()
      .toBuffer();
    return `
      $upload = wp_upload_bits( 'logo.jpg', null, base64_decode( '${jpeg.toString('base64')}' ) );
      update_option( 'site_logo', wp_insert_attachment( array( 'post_mime_type' => 'image/jpeg', 'post_title' => 'Logo' ), $upload['file'] ) );`;
  };

  test('becomes a PNG that is small enough, and leaves no file behind', async () => {
    // Editors of PHP are not on every machine. This one writes 400 bytes for each pixel of the width.
    const editor = `
      define( 'WP_TEMP_DIR', get_temp_dir() . uniqid( 'logo' ) );
      mkdir( WP_TEMP_DIR );
      require_once ABSPATH . WPINC . '/class-wp-image-editor.php';
      class Fake_Editor extends WP_Image_Editor {
        public static function test( $args = array() ) { return true; }
        public static function supports_mime_type( $type ) { return true; }
        public function load() { $this->update_size( 1200, 400 ); return true; }
        public function save( $file = null, $type = null ) {
          file_put_contents( $file, str_pad( "$type {$this->size['width']} ", 400 * $this->size['width'], '.' ) );
          return array( 'path' => $file );
        }
        public function resize( $width, $height, $crop = false ) { return $this->update_size( $width, $height ); }
        public function multi_resize( $sizes ) {}
        public function crop( $x, $y, $w, $h, $dw = null, $dh = null, $abs = false ) {}
        public function rotate( $angle ) {}
        public function flip( $horizontal, $vertical ) {}
        public function stream( $type = null ) {}
      }
      add_filter( 'wp_image_editors', function () { return array( 'Fake_Editor' ); } );`;
    const [content, files] = await wordpress.php<[Content, string[]]>(`
      ${await makeLogo()} ${editor}
      $content = Stoppress\\transfer_content( array() );
      $files = glob( WP_TEMP_DIR . '/*' );
      array_map( 'unlink', $files );
      rmdir( WP_TEMP_DIR );
      return array( $content, $files );`);
    const logo = Buffer.from(content.logo ?? '', 'base64');
    expect(logo.toString('latin1')).toMatch(/^image\/png 360 /);
    expect(logo.length).toBeLessThanOrEqual(150_000);
    expect(files).toEqual([]);
  });

  test('stays away when PHP cannot convert it, and everything else is sent', async () => {
    const content = await contentAfter(
      `${await makeLogo()} add_filter( 'wp_image_editors', '__return_empty_array' );`,
    );
    expect(content).toMatchObject({ name: 'The Ostley Courier', accent: THEME_ACCENT });
    expect(content).not.toHaveProperty('logo');
  });

  test('is converted by PHP itself', async ({ skip }) => {
    const canConvert = await wordpress.php<boolean>(
      `return wp_image_editor_supports( array( 'mime_type' => 'image/jpeg' ) );`,
    );
    skip(!canConvert, 'PHP has neither GD nor Imagick on this machine.');
    const { logo = '' } = await contentAfter(await makeLogo());
    expect(await sharp(Buffer.from(logo, 'base64')).metadata()).toMatchObject({
      format: 'png',
      width: 600,
      height: 200,
    });
  });
});

test('writes no notice and no warning to the log of PHP', async () => {
  const lines = (await wordpress.log()).split('\n');
  expect(lines.filter((line) => line.includes('plugins/stoppress'))).toEqual([]);
});
