<?php
/**
 * Settings → Live coverage.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

const SETTINGS_PAGE = 'stoppress';

/** Registers the setting. options.php checks the nonce and the capability before it saves. */
function register_settings(): void {
	register_setting(
		SETTINGS_PAGE,
		SITE_OPTION,
		array(
			'type'              => 'string',
			'default'           => '',
			'sanitize_callback' => 'Stoppress\sanitize_site',
		)
	);
	add_settings_section( 'stoppress_site', '', '__return_null', SETTINGS_PAGE );
	add_settings_field(
		SITE_OPTION,
		__( 'Address of the site', 'stoppress' ),
		'Stoppress\print_site_field',
		SETTINGS_PAGE,
		'stoppress_site',
		array( 'label_for' => SITE_OPTION )
	);
}

/**
 * Returns the origin to save. A wrong address changes nothing.
 *
 * @param mixed $value What was sent.
 */
function sanitize_site( $value ): string {
	$address = is_string( $value ) ? trim( $value ) : '';
	if ( '' === $address ) {
		return '';
	}
	$origin = parse_origin( $address );
	if ( is_wp_error( $origin ) ) {
		if ( function_exists( 'add_settings_error' ) ) {
			add_settings_error( SITE_OPTION, $origin->get_error_code(), $origin->get_error_message() );
		}
		return site_origin();
	}
	return $origin;
}

/** Adds the page to the menu. */
function add_settings_page(): void {
	add_options_page(
		__( 'Live coverage', 'stoppress' ),
		__( 'Live coverage', 'stoppress' ),
		'manage_options',
		SETTINGS_PAGE,
		'Stoppress\print_settings_page'
	);
}

/**
 * Adds a link to the plugin's row in the list of plugins.
 *
 * @param string[] $links Links of the row.
 * @return string[]
 */
function add_settings_link( array $links ): array {
	$address = admin_url( 'options-general.php?page=' . SETTINGS_PAGE );
	array_unshift( $links, sprintf( '<a href="%s">%s</a>', esc_url( $address ), esc_html__( 'Settings', 'stoppress' ) ) );
	return $links;
}

/** Prints the field. */
function print_site_field(): void {
	printf(
		'<input type="text" inputmode="url" class="regular-text code" id="%1$s" name="%1$s" value="%2$s" placeholder="https://live.example.com" aria-describedby="stoppress-site-help">',
		esc_attr( SITE_OPTION ),
		esc_attr( site_origin() )
	);
	printf(
		'<p class="description" id="stoppress-site-help">%s</p>',
		esc_html__( 'The address of your Stoppress site. It needs https.', 'stoppress' )
	);
}

/** Prints the page, and the state of the connection. */
function print_settings_page(): void {
	if ( ! current_user_can( 'manage_options' ) ) {
		return;
	}
	echo '<div class="wrap"><h1>' . esc_html( get_admin_page_title() ) . '</h1>';
	if ( '' !== site_origin() ) {
		print_connection( fetch_coverages( site_origin() ) );
	}
	echo '<form action="options.php" method="post">';
	settings_fields( SETTINGS_PAGE );
	do_settings_sections( SETTINGS_PAGE );
	submit_button();
	echo '</form>';
	if ( '' !== site_origin() ) {
		print_transfer();
	}
	echo '</div>';
}

/**
 * Prints whether the connection works and, when it does not, what to do.
 *
 * @param array|\WP_Error $coverages Result of fetch_coverages().
 */
function print_connection( $coverages ): void {
	if ( is_wp_error( $coverages ) ) {
		$text = __( 'Not connected.', 'stoppress' ) . ' ' . $coverages->get_error_message();
	} else {
		/* translators: %s: a number. */
		$text = sprintf( __( 'Connected. Coverages: %s.', 'stoppress' ), number_format_i18n( count( $coverages ) ) );
	}
	printf(
		'<div class="notice notice-%s inline" id="stoppress-connection"><p>%s</p></div>',
		is_wp_error( $coverages ) ? 'error' : 'success',
		esc_html( $text )
	);
}
