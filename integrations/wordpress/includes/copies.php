<?php
/**
 * Copies of parts: fetched at most every ten seconds, kept when the site does not answer.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

/** Seconds for which a copy is used without asking the site. */
const FRESH_SECONDS = 10;

/** Seconds between two attempts while the site does not answer, or not for a part. */
const AWAY_SECONDS = 60;

/** What a failed request says about: the site with all its parts, or one part. */
const OF_SITE = 'site';
const OF_PART = 'part';

/** The header `stoppress-status` of an absence, by its status code. An error of a proxy does not have it. */
const ABSENCES = array(
	404 => 'not_found',
	410 => 'withdrawn',
);

/** Timeout in seconds of a request that a reader waits for. */
const READER_TIMEOUT = 2;

/** Age in seconds from which a copy is too old to be used while another request fetches a newer one. */
const OLD_SECONDS = 60;

/** Option that exists while a request asks the site. */
const LOCK_OPTION = 'stoppress_lock';

/** Seconds after which a lock was left behind by a request that was ended. */
const LOCK_SECONDS = 15;

/** How often, and how many milliseconds each time, a request waits for the one that asks the site. */
const LOCK_TURNS   = 10;
const LOCK_WAIT_MS = 200;

/** Length of a part's list of updates. */
const DEFAULT_UPDATES = 10;
const MAX_UPDATES     = 50;

/** The layouts that the site offers. */
const LAYOUTS = array( 'full', 'summary', 'newest', 'strip' );

/**
 * Reads what to show from a block's attributes or a request.
 *
 * @param array $values Untrusted values.
 * @return array{coverage: string, layout: string, updates: int, heading: int}|null Null without a coverage.
 */
function read_choice( array $values ): ?array {
	$coverage = isset( $values['coverage'] ) ? $values['coverage'] : '';
	$layout   = isset( $values['layout'] ) ? $values['layout'] : '';
	$number   = function ( string $key, int $default, int $least, int $most ) use ( $values ): int {
		$value = isset( $values[ $key ] ) && is_numeric( $values[ $key ] ) ? (int) $values[ $key ] : $default;
		return max( $least, min( $most, $value ) );
	};
	if ( ! is_slug( $coverage ) ) {
		return null;
	}
	return array(
		'coverage' => $coverage,
		'layout'   => in_array( $layout, LAYOUTS, true ) ? $layout : 'full',
		'updates'  => $number( 'updates', DEFAULT_UPDATES, 1, MAX_UPDATES ),
		'heading'  => $number( 'heading', 2, 2, 4 ),
	);
}

/**
 * Returns the path of a part at the site.
 *
 * @param array $choice What to show, from read_choice().
 */
function part_path( array $choice ): string {
	$query = http_build_query(
		array(
			'layout'  => $choice['layout'],
			'updates' => $choice['updates'],
			'heading' => $choice['heading'],
		)
	);
	return '/live/' . $choice['coverage'] . '/part?' . $query;
}

/**
 * Returns the newest copy of a part. Asks the site when the copy is not fresh, but only one request at a time, and once
 * a minute while the site does not answer. A part that fails alone does not keep other parts from being asked for.
 *
 * @param array $choice What to show, from read_choice().
 * @return array{copy: array|null, away: bool} `away`: the last attempt failed.
 */
function current_copy( array $choice ): array {
	$origin   = site_origin();
	$name     = 'stoppress_copy_' . md5( VERSION . '|' . $origin . part_path( $choice ) );
	$marks    = array(
		OF_SITE => 'stoppress_away_' . md5( $origin ),
		OF_PART => 'stoppress_away_' . md5( $origin . part_path( $choice ) ),
	);
	$has_lock = false;
	try {
		for ( $turn = 0; ; $turn++ ) {
			$copy     = stored_copy( $name );
			$age      = null === $copy ? PHP_INT_MAX : time() - $copy['at'];
			$is_fresh = $age < FRESH_SECONDS;
			$away     = ! $is_fresh && ( has_failed_lately( $marks[ OF_SITE ] ) || has_failed_lately( $marks[ OF_PART ] ) );
			if ( $is_fresh || $away ) {
				return compact( 'copy', 'away' );
			}
			if ( $has_lock ) {
				$fetched = fetch_copy( $origin, $choice, $copy );
				if ( is_string( $fetched ) ) {
					update_option( $marks[ $fetched ], time(), false );
					return array(
						'copy' => $copy,
						'away' => true,
					);
				}
				update_option( $name, $fetched, false );
				return array(
					'copy' => $fetched,
					'away' => false,
				);
			}
			$has_lock = take_lock();
			if ( ! $has_lock ) {
				if ( $age < OLD_SECONDS || $turn >= LOCK_TURNS ) {
					return compact( 'copy', 'away' );
				}
				usleep( LOCK_WAIT_MS * 1000 );
			}
			// Another request may have written a copy or a mark in the meantime.
			forget_cached( array( $name, $marks[ OF_SITE ], $marks[ OF_PART ] ) );
		}
	} finally {
		if ( $has_lock ) {
			release_lock();
		}
	}
}

/**
 * Returns whether a request failed within the last AWAY_SECONDS. The mark is an option with a time and not a transient,
 * because a request that reads an expired transient deletes it, also when another request has just written it again.
 *
 * @param string $mark Name of the option with the Unix time of the failure.
 */
function has_failed_lately( string $mark ): bool {
	$failed_at = get_option( $mark, 0 );
	return is_numeric( $failed_at ) && abs( time() - (int) $failed_at ) < AWAY_SECONDS;
}

/**
 * Returns a stored copy, or null. What another program or a damaged database left there is no copy.
 *
 * @param string $name Name of the option.
 */
function stored_copy( string $name ): ?array {
	$copy   = get_option( $name, null );
	$fields = array( 'at', 'etag', 'html', 'style', 'data', 'gone' );
	return is_array( $copy ) && array() === array_diff( $fields, array_keys( $copy ) ) ? $copy : null;
}

/**
 * Asks the site for a part.
 *
 * @param string     $origin Origin of the site.
 * @param array      $choice What to show.
 * @param array|null $copy   The last copy.
 * @return array|string The new copy. When the site did not answer as a Stoppress site does: OF_SITE or OF_PART.
 */
function fetch_copy( string $origin, array $choice, ?array $copy ) {
	$headers = array( 'Accept' => 'text/html' );
	if ( null !== $copy && '' !== $copy['etag'] ) {
		$headers['If-None-Match'] = $copy['etag'];
	}
	$response = request_site( $origin, part_path( $choice ), $headers, READER_TIMEOUT );
	if ( is_wp_error( $response ) ) {
		return is_error_of_part( $response ) ? OF_PART : OF_SITE;
	}
	$status  = (int) wp_remote_retrieve_response_code( $response );
	$meaning = header_of( $response, 'stoppress-status' );
	if ( $status >= 500 || 429 === $status ) {
		return OF_SITE;
	}
	if ( 304 === $status && null !== $copy ) {
		return array( 'at' => time() ) + $copy;
	}
	if ( isset( ABSENCES[ $status ] ) && ABSENCES[ $status ] === $meaning ) {
		return array(
			'at'    => time(),
			'etag'  => '',
			'html'  => '',
			'style' => '',
			'data'  => '',
			'gone'  => true,
		);
	}
	$is_part = 200 === $status && '' !== $meaning;
	$part    = $is_part ? clean_part( wp_remote_retrieve_body( $response ) ) : null;
	if ( null === $part ) {
		return OF_PART;
	}
	return $part + array(
		'at'   => time(),
		'etag' => header_of( $response, 'etag' ),
		'gone' => false,
	);
}

/**
 * Whether a failed request says nothing about other parts: the server was reached, but the part came too slowly or is too
 * large, or the server redirected to another one. The texts of WordPress's transports are stable and English.
 *
 * @param \WP_Error $error Error of request_site().
 */
function is_error_of_part( \WP_Error $error ): bool {
	return 0 === strpos( (string) $error->get_error_code(), 'stoppress_' )
		|| 1 === preg_match( '/Operation timed out|fsocket timed out/i', $error->get_error_message() );
}

/** Takes the lock of requests to the site. Inserting a row is atomic; get_option() and add_option() are not. */
function take_lock(): bool {
	global $wpdb;
	$now = time();
	// phpcs:ignore WordPress.DB.DirectDatabaseQuery
	$inserted = $wpdb->query(
		$wpdb->prepare( "INSERT IGNORE INTO {$wpdb->options} (option_name, option_value, autoload) VALUES (%s, %s, 'no')", LOCK_OPTION, (string) $now )
	);
	if ( $inserted ) {
		return true;
	}
	// phpcs:ignore WordPress.DB.DirectDatabaseQuery
	return (bool) $wpdb->query(
		$wpdb->prepare( "UPDATE {$wpdb->options} SET option_value = %s WHERE option_name = %s AND option_value < %s", (string) $now, LOCK_OPTION, (string) ( $now - LOCK_SECONDS ) )
	);
}

/** Gives the lock back. */
function release_lock(): void {
	global $wpdb;
	// phpcs:ignore WordPress.DB.DirectDatabaseQuery
	$wpdb->query( $wpdb->prepare( "DELETE FROM {$wpdb->options} WHERE option_name = %s", LOCK_OPTION ) );
}

/**
 * Makes WordPress read options from the database again, which another request may have written.
 *
 * @param string[] $names Names of options.
 */
function forget_cached( array $names ): void {
	foreach ( $names as $name ) {
		wp_cache_delete( $name, 'options' );
	}
	wp_cache_delete( 'notoptions', 'options' );
}
