const INVISIBLE = /[\u00a0\u00ad\u2007\u200b\u202f\u2060\ufeff]/
const BLANKS = /[\u00a0\u2007\u202f]/g
const NO_WIDTH = /[\u00ad\u200b\u2060\ufeff]/g

/**
 * Returns a text with ordinary blanks instead of non-breaking ones, and without characters of zero width. Web
 * pages and spreadsheets leave these in copied text. Joiners are kept, because some scripts need them.
 */
export const visible = (text: string): string =>
  INVISIBLE.test(text) ? text.replace(BLANKS, ' ').replace(NO_WIDTH, '') : text
