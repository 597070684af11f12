<?php
/**
 * Identity of this WordPress for a transfer: accent colour, logo and menu.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

/** Largest logo in bytes, and its largest side in pixels. */
const MAX_LOGO_BYTES  = 150000;
const MAX_LOGO_PIXELS = 600;

/** Most links of a menu. */
const MAX_MENU_LINKS = 7;

/** Returns the accent colour of the theme as `#rrggbb`, or an empty text. */
function transfer_accent(): string {
	$palette = wp_get_global_settings( array( 'color', 'palette' ) );
	$palette = is_array( $palette ) ? $palette : array();
	$colours = array( get_theme_mod( 'accent_color' ), get_theme_mod( 'primary_color' ) );
	foreach ( array( 'custom', 'theme' ) as $source ) {
		$list = isset( $palette[ $source ] ) && is_array( $palette[ $source ] ) ? $palette[ $source ] : array();
		$by   = array_column( $list, 'color', 'slug' );
		foreach ( array( 'accent', 'accent-1', 'primary' ) as $slug ) {
			$colours[] = isset( $by[ $slug ] ) ? $by[ $slug ] : null;
		}
	}
	foreach ( $colours as $colour ) {
		$colour = is_string( $colour ) ? sanitize_hex_color( $colour ) : null;
		if ( is_string( $colour ) && '' !== $colour ) {
			$digits = ltrim( strtolower( $colour ), '#' );
			return '#' . ( 3 === strlen( $digits ) ? preg_replace( '/(.)/', '$1$1', $digits ) : $digits );
		}
	}
	return '';
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
 * Returns an image as a PNG of at most MAX_LOGO_PIXELS, in base64.
 *
 * @param string $file Path of the image.
 */
function converted_logo( string $file ): string {
	$editor = wp_get_image_editor( $file );
	if ( is_wp_error( $editor ) ) {
		return '';
	}
	$size = $editor->get_size();
	if ( max( $size['width'], $size['height'] ) > MAX_LOGO_PIXELS ) {
		$editor->resize( MAX_LOGO_PIXELS, MAX_LOGO_PIXELS );
	}
	$reserved = wp_tempnam( 'stoppress-logo' );
	$saved    = $editor->save( $reserved . '.png', 'image/png' );
	wp_delete_file( $reserved );
	if ( is_wp_error( $saved ) ) {
		return '';
	}
	$encoded = filesize( $saved['path'] ) <= MAX_LOGO_BYTES ? encode_file( $saved['path'] ) : '';
	wp_delete_file( $saved['path'] );
	return $encoded;
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
 * Returns the links of the menu: those at the top level of the first menu that the theme shows.
 *
 * @return array[] Each with `label` and `url`.
 */
function transfer_menu(): array {
	$links = array();
	foreach ( array_filter( get_nav_menu_locations() ) as $menu_id ) {
		$items = wp_get_nav_menu_items( $menu_id );
		foreach ( is_array( $items ) ? $items : array() as $item ) {
			if ( 0 === (int) $item->menu_item_parent ) {
				$links[] = menu_link( (string) $item->title, (string) $item->url );
			}
		}
		if ( array() !== $links ) {
			break;
		}
	}
	return array_slice( array_values( array_filter( $links ) ), 0, MAX_MENU_LINKS );
}

/**
 * Returns a link of the menu, or null when the site would not take it.
 *
 * @param string $title Title of the item.
 * @param string $url   Address of the item.
 */
function menu_link( string $title, string $url ): ?array {
	$label   = plain_line( $title, 40 );
	$address = esc_url_raw( 0 === strpos( $url, '/' ) ? home_url( $url ) : $url, array( 'http', 'https' ) );
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
