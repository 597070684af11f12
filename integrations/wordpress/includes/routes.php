<?php
/**
 * REST routes: the list of coverages for the editor, and the parts for the checks of open pages.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

const ROUTES = 'stoppress/v1';

/** Registers the routes. */
function register_routes(): void {
	register_rest_route(
		ROUTES,
		'/coverages',
		array(
			'methods'             => 'GET',
			'callback'            => 'Stoppress\answer_coverages',
			'permission_callback' => function (): bool {
				return current_user_can( 'edit_posts' );
			},
		)
	);
	register_rest_route(
		ROUTES,
		'/part',
		array(
			'methods'             => 'GET',
			'callback'            => 'Stoppress\answer_part',
			// Everyone may read what a post shows. The signature admits nothing else.
			'permission_callback' => '__return_true',
		)
	);
}

/** Answers with the coverages of the site. */
function answer_coverages() {
	$origin = site_origin();
	if ( '' === $origin ) {
		$message = __( 'Enter the address of your site in Settings → Live coverage.', 'stoppress' );
		return new \WP_Error( 'stoppress_no_site', $message, array( 'status' => 409 ) );
	}
	$coverages = fetch_coverages( $origin );
	if ( is_wp_error( $coverages ) ) {
		$coverages->add_data( array( 'status' => 502 ) );
	}
	return $coverages;
}

/**
 * Answers with a part. Shared caches may keep the answer as long as the copy is fresh.
 *
 * @param \WP_REST_Request $request The request.
 */
function answer_part( \WP_REST_Request $request ) {
	$choice = read_choice( $request->get_query_params() );
	$sign   = $request->get_param( 'sign' );
	if ( null === $choice || ! is_string( $sign ) || ! hash_equals( signature( $choice ), $sign ) ) {
		return new \WP_Error( 'stoppress_unknown_part', __( 'No post shows this part.', 'stoppress' ), array( 'status' => 403 ) );
	}
	$content  = part_content( $choice, current_copy( $choice ) );
	$version  = version_of( $content );
	$etag     = '"' . $version . '"';
	$is_known = in_array( $etag, preg_split( '/\s*,\s*(?:W\/)?|^\s*W\//', (string) $request->get_header( 'if_none_match' ) ), true );
	$response = $is_known ? new \WP_REST_Response( null, 304 ) : new \WP_REST_Response(
		array(
			'version' => $version,
			'html'    => $content,
		)
	);
	$response->header( 'Cache-Control', 'public, max-age=' . FRESH_SECONDS );
	$response->header( 'ETag', $etag );
	return $response;
}

/**
 * Returns the address of a part at this WordPress.
 *
 * @param array $choice What to show, from read_choice().
 */
function part_address( array $choice ): string {
	return add_query_arg( $choice + array( 'sign' => signature( $choice ) ), rest_url( ROUTES . '/part' ) );
}

/**
 * Signs what a block shows. Without it, anybody could make WordPress fetch and store any part of the site.
 *
 * @param array $choice What to show, from read_choice().
 */
function signature( array $choice ): string {
	return substr( hash_hmac( 'sha256', implode( '|', $choice ), wp_salt( 'nonce' ) ), 0, 32 );
}
