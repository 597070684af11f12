<?php
/**
 * Removes everything that the plugin stored: its setting, the copies of parts, and the marks of failed attempts.
 *
 * @package Stoppress
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

/** Removes the plugin's options and transients of one site. All of their names begin with `stoppress_`. */
function stoppress_remove_options() {
	global $wpdb;
	// phpcs:ignore WordPress.DB.DirectDatabaseQuery
	$names = $wpdb->get_col(
		$wpdb->prepare(
			"SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE %s OR option_name LIKE %s OR option_name LIKE %s",
			$wpdb->esc_like( 'stoppress_' ) . '%',
			$wpdb->esc_like( '_transient_stoppress_' ) . '%',
			$wpdb->esc_like( '_transient_timeout_stoppress_' ) . '%'
		)
	);
	// delete_option() also clears the cache of the option.
	array_map( 'delete_option', $names );
}

if ( is_multisite() ) {
	foreach ( get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) as $stoppress_site_id ) {
		switch_to_blog( $stoppress_site_id );
		stoppress_remove_options();
		restore_current_blog();
	}
} else {
	stoppress_remove_options();
}
