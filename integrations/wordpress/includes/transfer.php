<?php
/**
 * Bring over: sends staff, name, colour, logo and menu of this WordPress to the Stoppress site, where an owner accepts them.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

/** Path that takes a transfer. */
const TRANSFER_PATH = '/api/wordpress-transfer';

/** Name of the action and of its nonce. */
const TRANSFER_ACTION = 'stoppress_transfer';

/** Most people that the site takes at once. */
const MAX_PEOPLE = 50;

/** Roles of Stoppress by role of WordPress. */
const TRANSFER_ROLES = array(
	'editor'      => 'editor',
	'author'      => 'reporter',
	'contributor' => 'contributor',
);

/** Users of this WordPress that can be brought over. */
function transferable_users(): array {
	return get_users(
		array(
			'role__in' => array_keys( TRANSFER_ROLES ),
			'orderby'  => 'display_name',
			'number'   => 200,
		)
	);
}

/**
 * Returns the role of Stoppress for a user, or an empty text.
 *
 * @param \WP_User $user User of this WordPress.
 */
function transfer_role( \WP_User $user ): string {
	foreach ( TRANSFER_ROLES as $role => $own ) {
		if ( in_array( $role, $user->roles, true ) ) {
			return $own;
		}
	}
	return '';
}

/** Prints the section of the settings page. */
function print_transfer(): void {
	if ( ! current_user_can( 'manage_options' ) || ! current_user_can( 'list_users' ) ) {
		return;
	}
	$users = transferable_users();
	$names = array(
		'editor'      => __( 'Editor', 'stoppress' ),
		'reporter'    => __( 'Reporter', 'stoppress' ),
		'contributor' => __( 'Contributor', 'stoppress' ),
	);
	echo '<h2>' . esc_html__( 'Bring over', 'stoppress' ) . '</h2>';
	echo '<p>' . esc_html__( 'Sends the people you choose, and the name, colour, logo and menu of this WordPress, to your Stoppress site. An owner accepts them there; no invitation is sent before. No password leaves WordPress.', 'stoppress' ) . '</p>';
	print_transfer_result();
	echo '<form action="' . esc_url( admin_url( 'admin-post.php' ) ) . '" method="post">';
	echo '<input type="hidden" name="action" value="' . esc_attr( TRANSFER_ACTION ) . '">';
	wp_nonce_field( TRANSFER_ACTION );
	echo '<table class="form-table" role="presentation"><tr><th scope="row">' . esc_html__( 'People', 'stoppress' ) . '</th><td><fieldset><legend class="screen-reader-text">' . esc_html__( 'People', 'stoppress' ) . '</legend>';
	if ( array() === $users ) {
		echo '<p>' . esc_html__( 'This WordPress has no editors, authors or contributors.', 'stoppress' ) . '</p>';
	}
	foreach ( $users as $user ) {
		printf(
			'<label><input type="checkbox" name="users[]" value="%1$d"> %2$s</label><br>',
			(int) $user->ID,
			esc_html( sprintf( '%s (%s): %s', $user->display_name, $user->user_email, $names[ transfer_role( $user ) ] ) )
		);
	}
	echo '</fieldset></td></tr><tr><th scope="row"><label for="stoppress-code">' . esc_html__( 'Code', 'stoppress' ) . '</label></th><td>';
	echo '<input type="text" class="regular-text code" id="stoppress-code" name="code" autocomplete="off" spellcheck="false" required aria-describedby="stoppress-code-help">';
	echo '<p class="description" id="stoppress-code-help">' . esc_html__( 'An owner makes it on your Stoppress site, under Site → WordPress. It is valid once, for an hour.', 'stoppress' ) . '</p>';
	echo '</td></tr></table>';
	submit_button( __( 'Send', 'stoppress' ), 'secondary' );
	echo '</form>';
}

/** Prints the result of the last transfer, once. */
function print_transfer_result(): void {
	$key    = transfer_result_key();
	$result = get_transient( $key );
	if ( ! is_array( $result ) || ! isset( $result['text'], $result['is_error'] ) ) {
		return;
	}
	delete_transient( $key );
	printf(
		'<div class="notice notice-%s inline" id="stoppress-transfer"><p>%s</p></div>',
		$result['is_error'] ? 'error' : 'success',
		esc_html( $result['text'] )
	);
}

/** Name of the transient with the result for the current user. */
function transfer_result_key(): string {
	return 'stoppress_transfer_' . get_current_user_id();
}

/** Handles the form: sends the transfer, and goes back to the settings page. */
function handle_transfer(): void {
	if ( ! current_user_can( 'manage_options' ) || ! current_user_can( 'list_users' ) ) {
		wp_die( esc_html__( 'You may not do this.', 'stoppress' ), 403 );
	}
	check_admin_referer( TRANSFER_ACTION );
	$code   = isset( $_POST['code'] ) && is_string( $_POST['code'] ) ? trim( sanitize_text_field( wp_unslash( $_POST['code'] ) ) ) : '';
	$users  = isset( $_POST['users'] ) && is_array( $_POST['users'] ) ? array_map( 'absint', wp_unslash( $_POST['users'] ) ) : array();
	$result = send_transfer( site_origin(), $code, $users );
	set_transient(
		transfer_result_key(),
		array(
			'is_error' => is_wp_error( $result ),
			/* translators: %d: a number of people. */
			'text'     => is_wp_error( $result ) ? $result->get_error_message() : sprintf( __( 'Sent. People: %d. Accept it on your Stoppress site, under Site → WordPress.', 'stoppress' ), $result ),
		),
		MINUTE_IN_SECONDS
	);
	wp_safe_redirect( admin_url( 'options-general.php?page=' . SETTINGS_PAGE ) );
	exit;
}

/**
 * Sends a transfer.
 *
 * @param string $origin Origin of the site.
 * @param string $code   Code that an owner made.
 * @param int[]  $ids    Ids of the chosen users.
 * @return int|\WP_Error The number of people that the site took. An error says what to do.
 */
function send_transfer( string $origin, string $code, array $ids ) {
	if ( '' === $origin ) {
		return new \WP_Error( 'stoppress_no_site', __( 'Enter the address of your site in Settings → Live coverage.', 'stoppress' ) );
	}
	if ( ! preg_match( '/^[A-Za-z0-9_-]{20,100}$/', $code ) ) {
		return new \WP_Error( 'stoppress_code', __( 'Enter the code as your Stoppress site shows it.', 'stoppress' ) );
	}
	$people = transfer_people( $ids );
	if ( count( $people ) > MAX_PEOPLE ) {
		/* translators: %d: a number of people. */
		return new \WP_Error( 'stoppress_people', sprintf( __( 'Choose at most %d people.', 'stoppress' ), MAX_PEOPLE ) );
	}
	$response = wp_remote_post(
		$origin . TRANSFER_PATH,
		array(
			'timeout'             => SETTINGS_TIMEOUT * 2,
			'redirection'         => 0,
			'headers'             => array(
				'Content-Type' => 'application/json',
				'Accept'       => 'application/json',
			),
			'body'                => wp_json_encode(
				array(
					'code'    => $code,
					'content' => transfer_content( $people ),
				)
			),
			'limit_response_size' => MAX_RESPONSE_BYTES,
		)
	);
	return is_wp_error( $response ) ? explain_failure( $response ) : read_transfer_answer( $response );
}

/**
 * Reads the answer of the site.
 *
 * @param array $response Response of wp_remote_post().
 * @return int|\WP_Error
 */
function read_transfer_answer( array $response ) {
	$answer = json_decode( wp_remote_retrieve_body( $response ), true );
	$status = (int) wp_remote_retrieve_response_code( $response );
	if ( 200 === $status && is_array( $answer ) && isset( $answer['people'] ) && is_int( $answer['people'] ) ) {
		return $answer['people'];
	}
	if ( 410 === $status ) {
		return new \WP_Error( 'stoppress_code', __( 'This code is wrong, used, or older than an hour. Make a new one on your Stoppress site.', 'stoppress' ) );
	}
	if ( is_array( $answer ) && isset( $answer['error']['sentence'] ) && is_string( $answer['error']['sentence'] ) ) {
		return new \WP_Error( 'stoppress_refused', sanitize_text_field( $answer['error']['sentence'] ) );
	}
	if ( $status >= 500 || 429 === $status ) {
		/* translators: %d: a status code of HTTP. */
		return new \WP_Error( 'stoppress_unavailable', sprintf( __( 'The site is not available at the moment (status %d). Try again in a minute.', 'stoppress' ), $status ) );
	}
	return not_a_site();
}

/**
 * Returns the chosen people. Leaves out users without a role that can be brought over.
 *
 * @param int[] $ids Ids of users.
 * @return array[] Each with `email`, `name` and `role`.
 */
function transfer_people( array $ids ): array {
	$people = array();
	foreach ( transferable_users() as $user ) {
		if ( in_array( (int) $user->ID, $ids, true ) ) {
			$people[] = array(
				'email' => strtolower( $user->user_email ),
				'name'  => plain_line( $user->display_name, 60 ),
				'role'  => transfer_role( $user ),
			);
		}
	}
	return $people;
}

/**
 * Returns what is sent: people, and name, colour, logo and menu where this WordPress has them.
 *
 * @param array[] $people From transfer_people().
 */
function transfer_content( array $people ): array {
	$content = array( 'people' => $people );
	$name    = plain_line( (string) get_bloginfo( 'name' ), 80 );
	$accent  = transfer_accent();
	$logo    = transfer_logo();
	$menu    = transfer_menu();
	if ( '' !== $name ) {
		$content['name'] = $name;
	}
	if ( '' !== $accent ) {
		$content['accent'] = $accent;
	}
	if ( '' !== $logo ) {
		$content['logo'] = $logo;
	}
	if ( array() !== $menu ) {
		$content['menu'] = $menu;
	}
	return $content;
}

/**
 * Returns one line of plain text.
 *
 * @param string $text Text, maybe with character references.
 * @param int    $max  Most characters.
 */
function plain_line( string $text, int $max ): string {
	$line = trim( preg_replace( '/[\s\x00-\x1f\x7f]+/u', ' ', wp_strip_all_tags( html_entity_decode( $text, ENT_QUOTES, 'UTF-8' ) ) ) );
	return mb_substr( $line, 0, $max );
}
