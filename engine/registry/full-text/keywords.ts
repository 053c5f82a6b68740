import type { Bits } from '../../shared/arrays/bitset.ts'
import { countUp } from '../../shared/arrays/rank-sort.ts'
import type { Contents } from './contents.ts'
import { pageOf } from './page.ts'
import type { Keyword } from './record.ts'
import { wordsBegunBy } from './scoring.ts'

/** English stop words, as search engines commonly define them. */
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...[
    'a',
    'an',
    'and',
    'are',
    'as',
    'at',
    'be',
    'but',
    'by',
    'for',
    'if',
    'in',
    'into',
    'is',
    'it',
  ],
  ...[
    'no',
    'not',
    'of',
    'on',
    'or',
    'such',
    'that',
    'the',
    'their',
    'then',
    'there',
    'these',
    'they',
  ],
  'this',
  'to',
  'was',
  'will',
  'with',
])

/** Returns the most frequent words with a prefix in the slots, without stop words. Ties are alphabetical. */
export function frequentWords(
  { words, wordSlots }: Contents,
  text: string,
  among: Bits,
  count: number,
): Keyword[] {
  const found = mostFrequent({ words, wordSlots }, text, among, count + STOP_WORDS.size)
  return found.filter(({ keyword }) => !STOP_WORDS.has(keyword)).slice(0, count)
}

/**
 * Returns the most frequent words. A word occurs in at most as many slots as its list has, so counting starts
 * with the longest lists and stops early.
 */
function mostFrequent(
  { words, wordSlots }: Pick<Contents, 'words' | 'wordSlots'>,
  text: string,
  among: Bits,
  count: number,
): Keyword[] {
  const begun = wordsBegunBy(text, words)
  const lengths = new Float64Array(begun.length)
  for (let i = 0; i < begun.length; i++) {
    lengths[i] = wordSlots.lengths[begun[i]!] as number
  }
  const ties = countUp(0, begun.length)
  for (let counted = 2 * count + 16; ; counted *= 4) {
    const places = pageOf({ keys: lengths, ties }, 0, counted)
    const counts = new Float64Array(places.length)
    for (let i = 0; i < places.length; i++) {
      counts[i] = wordSlots.countAmong(begun[places[i]!] as number, among)
    }
    const best = pageOf({ keys: counts, ties: places }, 0, count)
    const least = counts[best.at(-1) ?? 0] ?? 0
    // No remaining list is longer than the last one counted.
    const most = lengths[places.at(-1) ?? 0] ?? 0
    if (counted < begun.length && (best.length < count || most >= least)) continue
    return Array.from(best, (at) => ({
      keyword: words.value(begun[places[at]!] as number),
      count: counts[at]!,
    })).filter((one) => one.count > 0)
  }
}
