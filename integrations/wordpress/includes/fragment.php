<?php
/**
 * Cleaning of a part: the HTML that the site sends is never trusted.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

/** Longest style sheet in bytes. */
const MAX_STYLE_BYTES = 32768;

/** What a style sheet may not contain: whatever ends it, loads, runs, hides a word or leaves the place of the block. */
const REFUSED_STYLE = '~[<\\\\]|(?:url|image|image-set|src|cross-fade|element|expression)\s*\(|behaviou?r\s*:|-moz-binding|position\s*:~i';

/** A style sheet without at-rules: selectors and declarations. */
const FLAT_STYLE = '~^(?:[^{}@;]+\{[^{}@]*\})+\s*$~';

/** A selector of a part. */
const OWN_SELECTOR = '~^\s*\.stoppress(?![\w-])~';

/**
 * Attributes that every allowed element may have. No `id`, which could name something that a script looks for, and no
 * other `data-` attributes, which scripts of WordPress and of themes act upon (`data-wp-bind--href`).
 */
const COMMON_ATTRIBUTES = array(
	'aria-hidden' => true,
	'aria-label'  => true,
	'class'       => true,
	'data-layout' => true,
	'data-number' => true,
	'data-seq'    => true,
	'data-status' => true,
	'dir'         => true,
	'hidden'      => true,
	'lang'        => true,
	'title'       => true,
);

/** Elements without other attributes. */
const PLAIN_ELEMENTS = array( 'abbr', 'address', 'article', 'aside', 'b', 'bdi', 'br', 'caption', 'cite', 'dd', 'div', 'dl', 'dt', 'em', 'figcaption', 'figure', 'footer', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'i', 'li', 'p', 's', 'section', 'small', 'span', 'strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'tfoot', 'thead', 'tr', 'u', 'ul' );

/** Elements with attributes of their own. */
const OTHER_ELEMENTS = array(
	'a'          => array(
		'href'   => true,
		'rel'    => true,
		'target' => true,
	),
	'blockquote' => array( 'cite' => true ),
	'del'        => array( 'datetime' => true ),
	'details'    => array( 'open' => true ),
	'img'        => array(
		'alt'      => true,
		'decoding' => true,
		'height'   => true,
		'loading'  => true,
		'sizes'    => true,
		'src'      => true,
		'srcset'   => true,
		'width'    => true,
	),
	'ins'        => array( 'datetime' => true ),
	'ol'         => array(
		'reversed' => true,
		'start'    => true,
	),
	'q'          => array( 'cite' => true ),
	'td'         => array(
		'align'   => true,
		'colspan' => true,
		'rowspan' => true,
	),
	'th'         => array(
		'align'   => true,
		'colspan' => true,
		'rowspan' => true,
		'scope'   => true,
	),
	'time'       => array( 'datetime' => true ),
);

/** Returns the elements and attributes that a part may contain, in the form that wp_kses() takes. */
function allowed_html(): array {
	$allowed = array_fill_keys( PLAIN_ELEMENTS, COMMON_ATTRIBUTES );
	foreach ( OTHER_ELEMENTS as $element => $attributes ) {
		$allowed[ $element ] = $attributes + COMMON_ATTRIBUTES;
	}
	return $allowed;
}

/**
 * Cleans a part.
 *
 * @param string $html What the site sent.
 * @return array{html: string, style: string, data: string}|null `data` is JSON-LD. Null when it cannot be read.
 */
function clean_part( string $html ): ?array {
	// Invalid UTF-8 could hide a tag from the expressions below.
	if ( 1 !== preg_match( '//u', $html ) ) {
		return null;
	}
	$style = preg_match( '~<style\b[^>]*>(.*?)</style\s*>~is', $html, $found ) ? clean_style( $found[1] ) : '';
	$data  = preg_match( '~<script\b[^>]*\btype="application/ld\+json"[^>]*>(.*?)</script\s*>~is', $html, $found ) ? clean_data( $found[1] ) : '';
	// wp_kses() removes tags but leaves what is between them.
	$html = preg_replace( '~<(script|style|noscript|template|iframe|object|svg|math|select|textarea|title)\b.*?</\1\s*>~is', '', $html );
	$html = null === $html ? null : preg_replace( '~<!--.*?-->~s', '', $html );
	if ( null === $html ) {
		return null;
	}
	$html = wp_kses( $html, allowed_html(), array( 'http', 'https', 'mailto', 'tel' ) );
	return array(
		'html'  => neutralize( balanceTags( $html, true ) ),
		'style' => $style,
		'data'  => $data,
	);
}

/**
 * Writes square brackets as references. Otherwise WordPress would run shortcodes that stand in an update.
 *
 * @param string $html Clean HTML.
 */
function neutralize( string $html ): string {
	return str_replace( array( '[', ']' ), array( '&#91;', '&#93;' ), $html );
}

/**
 * Returns a style sheet. Returns an empty text when it could do more than style the elements of its part.
 *
 * @param string $css What the site sent.
 */
function clean_style( string $css ): string {
	if ( strlen( $css ) > MAX_STYLE_BYTES ) {
		return '';
	}
	// A comment could split a refused word.
	$bare = preg_replace( '~/\*.*?\*/~s', '', $css );
	$flat = preg_replace( '~@(?:media|supports)[^{};@]*\{((?:[^{}@]*\{[^{}@]*\})*\s*)\}~', '$1', (string) $bare );
	if ( ! $flat || preg_match( REFUSED_STYLE, $bare ) || ! preg_match( FLAT_STYLE, $flat ) ) {
		return '';
	}
	foreach ( explode( ',', selectors_of( $flat ) ) as $selector ) {
		if ( ! preg_match( OWN_SELECTOR, $selector ) ) {
			return '';
		}
	}
	return preg_match( '/' . get_shortcode_regex() . '/', $bare ) ? '' : $bare;
}

/**
 * Returns all selectors of a style sheet, separated by commas, without lists in parentheses. Returns an empty text when
 * one contains a quotation mark, because a parenthesis could stand within quotation marks.
 *
 * @param string $flat Style sheet without at-rules.
 */
function selectors_of( string $flat ): string {
	$selectors = (string) preg_replace( '~\{[^{}]*\}\s*~', ',', $flat );
	if ( false !== strpbrk( $selectors, "\"'" ) ) {
		return '';
	}
	return rtrim( (string) preg_replace( '~\([^()]*\)~', '', $selectors ), ',' );
}

/**
 * Encodes structured data anew, so that it can contain nothing but data.
 *
 * @param string $json What the site sent.
 */
function clean_data( string $json ): string {
	$data = json_decode( $json, true, 64 );
	if ( ! is_array( $data ) || ! isset( $data['@context'] ) ) {
		return '';
	}
	$encoded = wp_json_encode( $data, JSON_HEX_TAG | JSON_HEX_AMP | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE );
	return false === $encoded ? '' : $encoded;
}
