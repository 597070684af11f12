<?php
/**
 * Identity of this WordPress for a transfer: accent colour, logo and menu.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

/** Largest logo in bytes. */
const MAX_LOGO_BYTES = 150000;

/** Largest sides of a converted logo in pixels, largest first. A photo as PNG may be too large at the first. */
const LOGO_PIXELS = array( 600, 360, 200 );

/** Most links of a menu. */
const MAX_MENU_LINKS = 7;

/**
 * Least distance between the strongest and the weakest of red, green and blue of a colour. Greys are less than that, and so
 * is the colour that WordPress gives to buttons.
 */
const MIN_CHROMA = 24;

/** How deep the blocks of a header are searched for its menu. */
const MAX_BLOCK_DEPTH = 12;

/**
 * Returns the accent colour of the theme as `#rrggbb`, or an empty text: the colour that a classic theme's settings have; the
 * colour of links or buttons that a block theme or its site editor has; or the colour that the palette calls accent.
 */
function transfer_accent(): string {
	$palette = palette_colours();
	$classic = array( get_theme_mod( 'accent_color' ), get_theme_mod( 'primary_color' ) );
	$styles  = array(
		wp_get_global_styles( array( 'elements', 'link', 'color', 'text' ) ),
		wp_get_global_styles( array( 'elements', 'button', 'color', 'background' ) ),
	);
	$named   = array_map(
		function ( string $slug ) use ( $palette ) {
			return isset( $palette[ $slug ] ) ? $palette[ $slug ] : null;
		},
		array( 'accent', 'accent-1', 'primary' )
	);
	$colours = array_merge(
		array_map( 'Stoppress\six_digits', $classic ),
		array_filter(
			array_map(
				function ( $colour ) use ( $palette ): string {
					return style_colour( $colour, $palette );
				},
				$styles
			),
			'Stoppress\is_chromatic'
		),
		array_map( 'Stoppress\six_digits', $named )
	);
	return (string) current( array_filter( $colours ) );
}

/**
 * Returns the colours of the palettes by slug. The newsroom's own colours win over those of the theme.
 *
 * @return string[]
 */
function palette_colours(): array {
	$palettes = wp_get_global_settings( array( 'color', 'palette' ) );
	$palettes = is_array( $palettes ) ? $palettes : array();
	$colours  = array();
	foreach ( array( 'custom', 'theme', 'default' ) as $source ) {
		$list     = isset( $palettes[ $source ] ) && is_array( $palettes[ $source ] ) ? $palettes[ $source ] : array();
		$colours += array_column( $list, 'color', 'slug' );
	}
	return $colours;
}

/**
 * Returns the colour of a style as `#rrggbb`, or an empty text. Styles name colours of the palette in two ways:
 * `var(--wp--preset--color--accent)` and `var:preset|color|accent`.
 *
 * @param mixed    $colour  Colour of a style.
 * @param string[] $palette Colours by slug.
 */
function style_colour( $colour, array $palette ): string {
	if ( is_string( $colour ) && preg_match( '/^var(?:\(--wp--preset--color--|:preset\|color\|)([a-z0-9-]+)\)?$/D', $colour, $found ) ) {
		$colour = isset( $palette[ $found[1] ] ) ? $palette[ $found[1] ] : null;
	}
	return six_digits( $colour );
}

/**
 * Returns a hexadecimal colour as `#rrggbb`, or an empty text for anything else.
 *
 * @param mixed $colour Any value.
 */
function six_digits( $colour ): string {
	$hex = is_string( $colour ) ? sanitize_hex_color( $colour ) : null;
	if ( ! is_string( $hex ) || '' === $hex ) {
		return '';
	}
	$digits = ltrim( strtolower( $hex ), '#' );
	return '#' . ( 3 === strlen( $digits ) ? preg_replace( '/(.)/', '$1$1', $digits ) : $digits );
}

/**
 * Whether a colour is more than a grey.
 *
 * @param string $colour As `#rrggbb`, or an empty text.
 */
function is_chromatic( string $colour ): bool {
	$parts = '' === $colour ? array( 0 ) : array_map( 'hexdec', str_split( substr( $colour, 1 ), 2 ) );
	return max( $parts ) - min( $parts ) >= MIN_CHROMA;
}

/** Returns the logo in base64, as SVG or PNG. An empty text without one, or when this server cannot convert it. */
function transfer_logo(): string {
	$file = get_attached_file( (int) get_theme_mod( 'custom_logo' ) );
	if ( ! is_string( $file ) || ! is_readable( $file ) ) {
		return '';
	}
	$is_accepted = in_array( strtolower( pathinfo( $file, PATHINFO_EXTENSION ) ), array( 'svg', 'png' ), true );
	if ( $is_accepted && filesize( $file ) <= MAX_LOGO_BYTES ) {
		return encode_file( $file );
	}
	return converted_logo( $file );
}

/**
 * Returns an image as a PNG in base64, as large as the site takes it. An empty text when this server cannot convert it.
 *
 * @param string $file Path of the image.
 */
function converted_logo( string $file ): string {
	foreach ( LOGO_PIXELS as $pixels ) {
		$editor = wp_get_image_editor( $file );
		if ( is_wp_error( $editor ) ) {
			return '';
		}
		$size = $editor->get_size();
		if ( max( $size['width'], $size['height'] ) > $pixels ) {
			$editor->resize( $pixels, $pixels );
		}
		$reserved = wp_tempnam( 'stoppress-logo' );
		$saved    = $editor->save( $reserved . '.png', 'image/png' );
		wp_delete_file( $reserved );
		if ( is_wp_error( $saved ) ) {
			return '';
		}
		$encoded = filesize( $saved['path'] ) <= MAX_LOGO_BYTES ? encode_file( $saved['path'] ) : '';
		wp_delete_file( $saved['path'] );
		if ( '' !== $encoded ) {
			return $encoded;
		}
	}
	return '';
}

/**
 * Returns a file of this server in base64.
 *
 * @param string $file Path of the file.
 */
function encode_file( string $file ): string {
	// phpcs:ignore WordPress.WP.AlternativeFunctions.file_get_contents_file_get_contents, WordPress.PHP.DiscouragedPHPFunctions
	return base64_encode( (string) file_get_contents( $file ) );
}

/**
 * Returns the links of the menu: those at its top level. A block theme has its menu in the header, a classic theme in a
 * menu location.
 *
 * @return array[] Each with `label` and `url`.
 */
function transfer_menu(): array {
	$links = wp_is_block_theme() ? block_menu() : array();
	return array_slice( array() === $links ? classic_menu() : $links, 0, MAX_MENU_LINKS );
}

/**
 * Returns the links of the first menu that a classic theme shows.
 *
 * @return array[]
 */
function classic_menu(): array {
	foreach ( array_filter( get_nav_menu_locations() ) as $menu_id ) {
		$links = array();
		$items = wp_get_nav_menu_items( $menu_id );
		foreach ( is_array( $items ) ? $items : array() as $item ) {
			if ( 0 === (int) $item->menu_item_parent ) {
				$links[] = menu_link( (string) $item->title, (string) $item->url );
			}
		}
		$links = array_values( array_filter( $links ) );
		if ( array() !== $links ) {
			return $links;
		}
	}
	return array();
}

/**
 * Returns the links of the menu that a block theme shows in its header.
 *
 * @return array[]
 */
function block_menu(): array {
	foreach ( get_block_templates( array( 'area' => 'header' ), 'wp_template_part' ) as $header ) {
		$navigation = find_navigation( parse_blocks( $header->content ), MAX_BLOCK_DEPTH );
		$links      = null === $navigation ? array() : block_links( navigation_items( $navigation ) );
		if ( array() !== $links ) {
			return $links;
		}
	}
	return array();
}

/**
 * Returns the first navigation block, also one in a pattern, or null.
 *
 * @param array[] $blocks Blocks from parse_blocks().
 * @param int     $depth  How deep to search.
 */
function find_navigation( array $blocks, int $depth ): ?array {
	foreach ( $blocks as $block ) {
		if ( 'core/navigation' === $block['blockName'] ) {
			return $block;
		}
		$inner = $block['innerBlocks'];
		if ( 'core/pattern' === $block['blockName'] && isset( $block['attrs']['slug'] ) ) {
			$pattern = \WP_Block_Patterns_Registry::get_instance()->get_registered( $block['attrs']['slug'] );
			$inner   = isset( $pattern['content'] ) ? parse_blocks( $pattern['content'] ) : array();
		}
		$found = $depth > 0 ? find_navigation( $inner, $depth - 1 ) : null;
		if ( null !== $found ) {
			return $found;
		}
	}
	return null;
}

/**
 * Returns the blocks of a navigation block: those of the menu that it names, its own, or those of the menu that WordPress
 * shows when it names none.
 *
 * @param array $navigation The block.
 * @return array[]
 */
function navigation_items( array $navigation ): array {
	$menu = isset( $navigation['attrs']['ref'] ) ? get_post( (int) $navigation['attrs']['ref'] ) : null;
	if ( null === $menu && array() !== $navigation['innerBlocks'] ) {
		return $navigation['innerBlocks'];
	}
	if ( null === $menu ) {
		// Reading must not create a menu.
		add_filter( 'wp_navigation_should_create_fallback', '__return_false' );
		$menu = \WP_Navigation_Fallback::get_fallback();
		remove_filter( 'wp_navigation_should_create_fallback', '__return_false' );
	}
	$is_shown = $menu instanceof \WP_Post && 'wp_navigation' === $menu->post_type && 'publish' === $menu->post_status;
	return $is_shown ? parse_blocks( $menu->post_content ) : array();
}

/**
 * Returns the links of the blocks of a menu.
 *
 * @param array[] $blocks Blocks of the top level.
 * @return array[]
 */
function block_links( array $blocks ): array {
	$links = array();
	foreach ( $blocks as $block ) {
		$attributes = array_filter( $block['attrs'], 'is_scalar' ) + array(
			'id'    => 0,
			'kind'  => '',
			'label' => '',
			'url'   => '',
		);
		switch ( $block['blockName'] ) {
			case 'core/navigation-link':
			case 'core/navigation-submenu':
				// WordPress shows no link to a page that is not published.
				$page = 'post-type' === $attributes['kind'] ? (int) $attributes['id'] : 0;
				if ( 0 === $page || 'publish' === get_post_status( $page ) ) {
					$links[] = menu_link( (string) $attributes['label'], (string) $attributes['url'] );
				}
				break;
			case 'core/home-link':
				$label   = (string) $attributes['label'];
				$links[] = menu_link( '' === $label ? __( 'Home', 'stoppress' ) : $label, home_url( '/' ) );
				break;
			case 'core/page-list':
				$pages = get_pages(
					array(
						'parent'      => 0,
						'sort_column' => 'menu_order,post_title',
					)
				);
				foreach ( is_array( $pages ) ? $pages : array() as $page ) {
					$links[] = menu_link( $page->post_title, (string) get_permalink( $page ) );
				}
		}
	}
	return array_values( array_filter( $links ) );
}

/**
 * Returns a link of the menu, or null when the site would not take it.
 *
 * @param string $title Title of the item.
 * @param string $url   Address of the item.
 */
function menu_link( string $title, string $url ): ?array {
	$label   = plain_line( $title, 40 );
	$address = esc_url_raw( 0 === strpos( $url, '/' ) ? \WP_Http::make_absolute_url( $url, home_url( '/' ) ) : $url, array( 'http', 'https' ) );
	// The parent of a submenu often has the address `#`.
	$is_accepted = 1 === preg_match( '#^https?://[^\s"<>\\\\^`{|}]{1,290}$#', $address );
	if ( '' === $label || ! $is_accepted ) {
		return null;
	}
	return array(
		'label' => $label,
		'url'   => $address,
	);
}
