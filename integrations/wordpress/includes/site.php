<?php
/**
 * The Stoppress site: its address, and requests to it.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

/** Option with the origin of the site, such as `https://live.example`. Empty until it is set. */
const SITE_OPTION = 'stoppress_site';

/** Path of the list of public coverages. */
const COVERAGES_PATH = '/api/coverages.json';

/** Largest accepted response in bytes. A part has about 100 KB. */
const MAX_RESPONSE_BYTES = 1048576;

/** Redirects that a request follows, such as that of a coverage with a new slug. */
const MAX_REDIRECTS = 2;

/** Timeout in seconds of requests that a person at the settings or the editor waits for. */
const SETTINGS_TIMEOUT = 5;

/** Hosts of this machine. Only they may be used without a certificate. */
const LOCAL_HOSTS = array( 'localhost', '127.0.0.1', '[::1]' );

/** Returns the origin of the site, or an empty text. */
function site_origin(): string {
	return (string) get_option( SITE_OPTION, '' );
}

/**
 * Returns the origin of an address that a person typed. A missing scheme is https.
 *
 * @param string $address What was typed.
 * @return string|\WP_Error
 */
function parse_origin( string $address ) {
	$address = trim( $address );
	if ( false === strpos( $address, '://' ) ) {
		$address = 'https://' . $address;
	}
	$parts = wp_parse_url( $address );
	$host  = is_array( $parts ) && isset( $parts['host'] ) ? strtolower( $parts['host'] ) : '';
	if ( ! preg_match( '/^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]+\])$/', $host ) ) {
		return new \WP_Error( 'stoppress_address', __( 'Enter an address such as https://live.example.com.', 'stoppress' ) );
	}
	$scheme = strtolower( $parts['scheme'] );
	if ( 'https' !== $scheme && ! ( 'http' === $scheme && in_array( $host, LOCAL_HOSTS, true ) ) ) {
		return new \WP_Error( 'stoppress_scheme', __( 'The address must begin with https://.', 'stoppress' ) );
	}
	$path = isset( $parts['path'] ) ? $parts['path'] : '/';
	if ( '/' !== $path || array_intersect_key( $parts, array_flip( array( 'user', 'pass', 'query', 'fragment' ) ) ) ) {
		return new \WP_Error( 'stoppress_path', __( 'Enter only the address of the site, without a path.', 'stoppress' ) );
	}
	return $scheme . '://' . $host . ( isset( $parts['port'] ) ? ':' . $parts['port'] : '' );
}

/**
 * Requests a path of the site. Follows redirects within the site only, so that no other server can answer.
 *
 * @param string   $origin  Origin of the site.
 * @param string   $path    Path with its query.
 * @param string[] $headers Headers by name.
 * @param int      $timeout Seconds for each request.
 * @return array|\WP_Error The response as wp_remote_get() returns it.
 */
function request_site( string $origin, string $path, array $headers, int $timeout ) {
	$url = $origin . $path;
	for ( $redirects = 0; $redirects <= MAX_REDIRECTS; $redirects++ ) {
		$response = wp_remote_get(
			$url,
			array(
				'timeout'             => $timeout,
				'redirection'         => 0,
				'headers'             => $headers,
				'limit_response_size' => MAX_RESPONSE_BYTES,
			)
		);
		if ( is_wp_error( $response ) ) {
			return $response;
		}
		if ( strlen( wp_remote_retrieve_body( $response ) ) >= MAX_RESPONSE_BYTES ) {
			return not_a_site();
		}
		$status = (int) wp_remote_retrieve_response_code( $response );
		if ( ! in_array( $status, array( 301, 302, 303, 307, 308 ), true ) ) {
			return $response;
		}
		$url = \WP_Http::make_absolute_url( header_of( $response, 'location' ), $url );
		if ( 0 !== strpos( $url, $origin . '/' ) ) {
			return new \WP_Error(
				'stoppress_redirect',
				/* translators: %s: an address. */
				sprintf( __( 'The site redirects to %s. Enter the address of the site that answers.', 'stoppress' ), $url )
			);
		}
	}
	return not_a_site();
}

/**
 * Returns a header of a response. A repeated header counts as missing.
 *
 * @param array  $response Response of wp_remote_get().
 * @param string $name     Name in lower case.
 */
function header_of( array $response, string $name ): string {
	$value = wp_remote_retrieve_header( $response, $name );
	return is_string( $value ) ? $value : '';
}

/** The error of an address at which another program answers. */
function not_a_site(): \WP_Error {
	return new \WP_Error(
		'stoppress_other_site',
		__( 'A server answers at this address, but it is no Stoppress site. Check the address. Stoppress must be of a version that offers its coverages to WordPress.', 'stoppress' )
	);
}

/**
 * Fetches the coverages that the site offers.
 *
 * @param string $origin Origin of the site.
 * @return array[]|\WP_Error Each coverage with `slug`, `title` and `status`. An error says what to do.
 */
function fetch_coverages( string $origin ) {
	if ( ( new \WP_Http() )->block_request( $origin . '/' ) ) {
		return new \WP_Error(
			'stoppress_blocked',
			/* translators: %s: a host name. */
			sprintf( __( 'This WordPress blocks outgoing requests. Add %s to WP_ACCESSIBLE_HOSTS in wp-config.php.', 'stoppress' ), wp_parse_url( $origin, PHP_URL_HOST ) )
		);
	}
	$response = request_site( $origin, COVERAGES_PATH, array( 'Accept' => 'application/json' ), SETTINGS_TIMEOUT );
	if ( is_wp_error( $response ) ) {
		return explain_failure( $response );
	}
	$status = (int) wp_remote_retrieve_response_code( $response );
	if ( $status >= 500 || 429 === $status ) {
		return new \WP_Error(
			'stoppress_unavailable',
			/* translators: %d: a status code of HTTP. */
			sprintf( __( 'The site is not available at the moment (status %d). Try again in a minute.', 'stoppress' ), $status )
		);
	}
	$list = 200 === $status ? read_coverages( wp_remote_retrieve_body( $response ) ) : null;
	return null === $list ? not_a_site() : $list;
}

/**
 * Reads the list of coverages. Leaves out what has another form.
 *
 * @param string $json Body of the response.
 * @return array[]|null Null when it is no such list.
 */
function read_coverages( string $json ): ?array {
	$data = json_decode( $json, true );
	if ( ! is_array( $data ) || ! isset( $data['coverages'] ) || ! is_array( $data['coverages'] ) ) {
		return null;
	}
	$coverages = array();
	foreach ( $data['coverages'] as $coverage ) {
		if ( ! is_array( $coverage ) || ! isset( $coverage['slug'], $coverage['title'] ) || ! is_slug( $coverage['slug'] ) ) {
			continue;
		}
		$coverages[] = array(
			'slug'   => $coverage['slug'],
			'title'  => sanitize_text_field( is_string( $coverage['title'] ) ? $coverage['title'] : '' ),
			'status' => isset( $coverage['status'] ) && is_string( $coverage['status'] ) ? sanitize_key( $coverage['status'] ) : '',
		);
	}
	return $coverages;
}

/**
 * Whether a value is the slug of a coverage.
 *
 * @param mixed $value Any value.
 */
function is_slug( $value ): bool {
	return is_string( $value ) && strlen( $value ) <= 100 && 1 === preg_match( '/^[a-z0-9]+(?:-[a-z0-9]+)*$/D', $value );
}

/**
 * Replaces an error of the connection by a sentence that says what to do. The texts of cURL are stable and English.
 *
 * @param \WP_Error $error Error of request_site().
 */
function explain_failure( \WP_Error $error ): \WP_Error {
	$detail = $error->get_error_message();
	if ( 0 === strpos( (string) $error->get_error_code(), 'stoppress_' ) ) {
		return $error;
	}
	if ( preg_match( '/cURL error (?:5|6):|resolve host|getaddrinfo/i', $detail ) ) {
		$advice = __( 'The host name is unknown. Check the address and its DNS entry.', 'stoppress' );
		return new \WP_Error( 'stoppress_dns', $advice );
	}
	if ( preg_match( '/cURL error (?:35|51|53|54|58|59|60|66|77|83|90|91):|certificate|\bSSL\b|\bTLS\b/i', $detail ) ) {
		$advice = __( 'The certificate of the site is not valid for WordPress. Renew it, or add the missing intermediate certificate.', 'stoppress' );
		return new \WP_Error( 'stoppress_certificate', $advice . ' (' . $detail . ')' );
	}
	$advice = __( 'The site does not answer. Check that it runs, and that the firewall lets WordPress reach it.', 'stoppress' );
	return new \WP_Error( 'stoppress_unreachable', $advice . ' (' . $detail . ')' );
}
