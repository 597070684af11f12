<?php
/**
 * The block Live coverage.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

/** Seconds between two checks of an open page. The script adds up to a third of it by chance. */
const CHECK_SECONDS = 15;

/** Registers the block and its scripts. */
function register_block(): void {
	$packages = array( 'wp-api-fetch', 'wp-block-editor', 'wp-blocks', 'wp-components', 'wp-element', 'wp-server-side-render' );
	$editor   = plugins_url( 'block/editor.js', __DIR__ );
	$follow   = plugins_url( 'assets/follow.js', __DIR__ );
	wp_register_script( 'stoppress-editor', $editor, $packages, VERSION, true );
	wp_register_script(
		'stoppress-follow',
		$follow,
		array(),
		VERSION,
		array(
			'strategy'  => 'defer',
			'in_footer' => true,
		)
	);
	register_block_type( dirname( __DIR__ ) . '/block', array( 'render_callback' => 'Stoppress\render_block' ) );
	add_action( 'enqueue_block_editor_assets', 'Stoppress\add_editor_messages' );
}

/** Hands the editor's script its texts, because it has no translation files of its own. */
function add_editor_messages(): void {
	$messages = array(
		'title'           => __( 'Live coverage', 'stoppress' ),
		'description'     => __( 'Shows a live coverage of your Stoppress site.', 'stoppress' ),
		'coverage'        => __( 'Coverage', 'stoppress' ),
		'choose'          => __( 'Choose a coverage', 'stoppress' ),
		'loading'         => __( 'Loading the coverages…', 'stoppress' ),
		'none'            => __( 'The site has no coverage yet.', 'stoppress' ),
		'layout'          => __( 'Layout', 'stoppress' ),
		'layouts'         => array(
			'full'    => __( 'Summary and updates', 'stoppress' ),
			'summary' => __( 'Summary', 'stoppress' ),
			'newest'  => __( 'Newest three updates', 'stoppress' ),
			'strip'   => __( 'One line', 'stoppress' ),
		),
		'updates'         => __( 'Number of updates', 'stoppress' ),
		'heading'         => __( 'Level of the first heading', 'stoppress' ),
		'mainAddress'     => __( 'This post is the main address of the coverage', 'stoppress' ),
		'mainAddressHelp' => __( 'Search engines then find the coverage here. Enter the address of this post as canonical address in the settings of the coverage, too.', 'stoppress' ),
	);
	$limits   = array( 'updates' => MAX_UPDATES );
	wp_add_inline_script(
		'stoppress-editor',
		'window.stoppressLiveCoverage = ' . wp_json_encode( compact( 'messages', 'limits' ), JSON_HEX_TAG | JSON_HEX_AMP ) . ';',
		'before'
	);
}

/**
 * Renders the block.
 *
 * @param array $attributes Attributes of the block.
 */
function render_block( array $attributes ): string {
	$choice = read_choice( $attributes );
	if ( null === $choice || '' === site_origin() ) {
		return '';
	}
	$current = current_copy( $choice );
	$content = part_content( $choice, $current );
	if ( ! empty( $attributes['isMainAddress'] ) && null !== $current['copy'] ) {
		structured_data( $current['copy']['data'] );
	}
	$wrapper = get_block_wrapper_attributes(
		array(
			'data-part'    => part_address( $choice ),
			'data-version' => version_of( $content ),
			'data-seconds' => (string) CHECK_SECONDS,
			'data-more'    => __( 'New updates', 'stoppress' ),
		)
	);
	return "<div $wrapper>$content</div>";
}

/**
 * Returns what a block or a check shows: the copy, and a note when it may be outdated.
 *
 * @param array $choice  What to show, from read_choice().
 * @param array $current Result of current_copy().
 */
function part_content( array $choice, array $current ): string {
	$copy = $current['copy'];
	if ( null === $copy ) {
		$link = sprintf( '<a href="%s">%s</a>', esc_url( site_origin() . '/live/' . $choice['coverage'] ), esc_html__( 'Open the live page', 'stoppress' ) );
		return note( esc_html__( 'The live coverage cannot be shown at the moment.', 'stoppress' ) . ' ' . $link );
	}
	if ( $copy['gone'] ) {
		return note( esc_html__( 'This live coverage is not available.', 'stoppress' ) );
	}
	$style = '' === $copy['style'] ? '' : "<style>{$copy['style']}</style>";
	/* translators: %s: a time. */
	$as_of = esc_html__( 'As of %s. The live page cannot be reached.', 'stoppress' );
	return ( $current['away'] ? note( sprintf( $as_of, time_element( $copy['at'] ) ) ) : '' ) . $style . $copy['html'];
}

/**
 * Returns a sentence of the plugin's own as a paragraph.
 *
 * @param string $html Escaped HTML.
 */
function note( string $html ): string {
	return "<p class=\"wp-block-stoppress-live-coverage__note\">$html</p>";
}

/**
 * Returns a time in the zone and the format of this WordPress, with the date when it is not today.
 *
 * @param int $at Unix time.
 */
function time_element( int $at ): string {
	$is_today = wp_date( 'Ymd', $at ) === wp_date( 'Ymd' );
	$format   = ( $is_today ? '' : get_option( 'date_format' ) . ' ' ) . get_option( 'time_format' );
	return sprintf( '<time datetime="%s">%s</time>', esc_attr( gmdate( 'c', $at ) ), esc_html( wp_date( $format, $at ) ) );
}

/**
 * Returns a version that differs whenever the content differs.
 *
 * @param string $content Content of a block.
 */
function version_of( string $content ): string {
	return substr( hash( 'sha256', $content ), 0, 16 );
}

/**
 * Collects structured data for the end of the page. There no filter of the post's content can change it.
 *
 * @param string|null $data JSON-LD to add, or null to read only.
 * @return string[]
 */
function structured_data( ?string $data = null ): array {
	static $all = array();
	if ( null !== $data && '' !== $data ) {
		$all[ $data ] = $data;
	}
	return $all;
}

/** Prints the structured data of the page's blocks. The data was encoded anew by clean_data(). */
function print_structured_data(): void {
	if ( ! is_singular() ) {
		return;
	}
	foreach ( structured_data() as $data ) {
		// phpcs:ignore WordPress.Security.EscapeOutput
		echo '<script type="application/ld+json">' . $data . "</script>\n";
	}
}
