<?php
/**
 * Texts in other languages, as lists in PHP. WordPress 6.4 reads no translation files in PHP.
 *
 * @package Stoppress
 */

namespace Stoppress;

defined( 'ABSPATH' ) || exit;

/**
 * Translates a text of the plugin, unless WordPress has found a translation.
 *
 * @param string $translation Translation that WordPress found, or the text itself.
 * @param string $text        English text.
 */
function translate( string $translation, string $text ): string {
	static $lists = array();
	if ( $translation !== $text ) {
		return $translation;
	}
	$language = substr( determine_locale(), 0, 2 );
	if ( ! isset( $lists[ $language ] ) ) {
		$lists[ $language ] = 'es' === $language ? require dirname( __DIR__ ) . '/languages/es.php' : array();
	}
	return isset( $lists[ $language ][ $text ] ) ? $lists[ $language ][ $text ] : $text;
}
