import type { Contents } from './contents.ts'
import type { Query, WordOrPhrase } from './query.ts'
import { type Sought, type SoughtTerm, wordsBegunBy } from './scoring.ts'

/** Resolves a query against an index. A code that no record has as typed is searched by its parts. */
export function soughtIn(
  { groups, mode }: Query,
  contents: Contents,
): Pick<Sought, 'terms' | 'groups'> {
  const places = new Map<string, number>()
  const terms: SoughtTerm[] = []
  const bitOf = (text: string, term: SoughtTerm) => {
    const place = places.get(text) ?? terms.push(term) - 1
    places.set(text, place)
    return 1 << place
  }
  const bits = groups.flatMap((group) => {
    const each = group.flatMap((asked) =>
      termsOf(asked, contents).map(([text, term]) => bitOf(text, term)),
    )
    const isAlone = group.length === 1 && mode === 'OR'
    return isAlone ? each : [each.reduce((all, bit) => all | bit, 0)]
  })
  return { terms, groups: [...new Set(bits)] }
}

function termsOf(
  asked: WordOrPhrase,
  { words, wordSlots, alive }: Contents,
): (readonly [text: string, term: SoughtTerm])[] {
  if ('phrase' in asked) {
    const codes = asked.phrase.map((word) => words.find(word))
    const isKnown = codes.every((code) => code !== undefined)
    return [[asked.text, isKnown ? codes : []]]
  }
  const { text, parts } = asked
  const isThere = () =>
    wordsBegunBy(text, words).some((term) => wordSlots.countAmong(term, alive) > 0)
  const sought = parts.length === 0 || isThere() ? [text] : parts
  return sought.map((one) => [one, one])
}
