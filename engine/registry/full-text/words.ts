import { EngineError } from '../../shared/errors.ts'

/** Maximum length of a word in UTF-16 code units. Longer words are cut, in records and in queries alike. */
const LONGEST_WORD = 64
/** Limits of a query: its length in UTF-16 code units and its number of words. */
export const LONGEST_QUERY = 1_000
export const MAX_QUERY_WORDS = 32

/** Runs of letters and digits, including runs joined by single signs as in a code or a decimal number. */
const RUNS = /[\p{L}\p{N}]+(?:[-/.][\p{L}\p{N}]+)*/gu
const JOINT = /[-/.]/
const DIGIT = /\p{N}/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is meant.
const PLAIN = /^[\x00-\x7f]*$/

/** A word of a text. A code such as 0002-3227 or 9840/3 also has its parts. */
export interface Word {
  readonly text: string
  /** Empty if the word is not joined. */
  readonly parts: readonly string[]
}

/** Folds a text for comparison: compatibility forms are unified, and accents and case are removed. */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  return text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')
}

/**
 * Splits a text into folded words: runs of letters and digits. If single hyphens, slashes or dots join runs, and
 * a run has a digit, they form one word; otherwise each run is a word.
 */
export function wordsOf(text: string): Word[] {
  return (foldText(text).match(RUNS) ?? []).flatMap((run) => {
    if (!JOINT.test(run)) return [simple(run)]
    const parts = run.split(JOINT)
    return DIGIT.test(run) ? [{ text: cut(run), parts: parts.map(cut) }] : parts.map(simple)
  })
}

/**
 * Returns the distinct words of a query.
 * @throws EngineError `bad_input` for a query that is too long or has too many words
 */
export function queryWords(query: string): Word[] {
  requireShort(query)
  const words = [...new Map(wordsOf(query).map((word) => [word.text, word])).values()]
  requireFewWords(words)
  return words
}

/**
 * Checks the length of a query.
 * @throws EngineError `bad_input` if it is too long
 */
export function requireShort(query: string): void {
  if (query.length <= LONGEST_QUERY) return
  throw tooMuch(`${query.length} characters`, `${LONGEST_QUERY} characters`)
}

/**
 * Checks the number of words of a query.
 * @throws EngineError `bad_input` for too many words, counting the parts of codes
 */
export function requireFewWords(
  words: readonly { readonly text: string; readonly parts?: readonly string[] }[],
): void {
  const count = new Set(words.flatMap(({ text, parts = [] }) => [text, ...parts])).size
  if (count > MAX_QUERY_WORDS) throw tooMuch(`${count} words`, `${MAX_QUERY_WORDS} words`)
}

function tooMuch(given: string, limit: string): EngineError {
  return new EngineError('bad_input', `the query has ${given}; at most ${limit} are accepted`, {
    at: 'q',
  })
}

const simple = (run: string): Word => ({ text: cut(run), parts: [] })

function cut(run: string): string {
  if (run.length <= LONGEST_WORD) return run
  return run.slice(0, LONGEST_WORD).replace(/[\ud800-\udbff]$/, '')
}
