import { requireFewWords, requireShort, type Word, wordsOf } from './words.ts'

/** Words that must follow each other in a text. A code is represented by its parts. */
interface Phrase {
  /** Text that identifies the phrase among the terms of the query. */
  readonly text: string
  /** The words in order. */
  readonly phrase: readonly string[]
}

export type WordOrPhrase = Word | Phrase
type Mode = 'OR' | 'AND'

/** A query. A record matches if it has all members of at least one group. */
export interface Query {
  /** The distinct words, folded. */
  readonly terms: readonly string[]
  readonly mode: Mode
  readonly groups: readonly (readonly WordOrPhrase[])[]
}

/** Text between whitespace or between two quotes. */
interface Chunk {
  readonly operator?: Mode | undefined
  readonly words: readonly Word[]
  readonly asked: readonly WordOrPhrase[]
}

/** A quote without a partner is treated as punctuation. */
const CHUNKS = /"([^"]*)"|[^\s"]+/g
const CURLY_QUOTES = /[\u201c\u201d]/g

/**
 * Parses a query of words, quoted phrases, and AND or OR in capitals between two of them. AND binds more
 * tightly. Words without an operator between them are joined according to the mode.
 * @throws EngineError `bad_input` for a query that is too long or has too many words
 */
export function readQuery(query: string, mode: Mode): Query {
  requireShort(query)
  const chunks = [...query.replace(CURLY_QUOTES, '"').matchAll(CHUNKS)].map(readChunk)
  const groups: Chunk[][] = []
  const terms = new Set<string>()
  let operator: Mode | undefined
  const given = chunks.filter(({ asked }) => asked.length > 0)
  for (const [i, chunk] of given.entries()) {
    const next = given[i + 1]
    const isBetween = i > 0 && !operator && next && !next.operator
    if (chunk.operator && isBetween) {
      operator = chunk.operator
      continue
    }
    const group = groups.at(-1)
    if (group && (operator ?? mode) === 'AND') group.push(chunk)
    else groups.push([chunk])
    operator = undefined
    for (const { text } of chunk.words) terms.add(text)
  }
  requireFewWords(groups.flat().flatMap(({ words, asked }) => [...words, ...asked]))
  return { terms: [...terms], mode, groups: groups.flatMap((group) => joined(group, mode)) }
}

function readChunk([text, quoted]: RegExpMatchArray): Chunk {
  const words = wordsOf(quoted ?? text)
  const operator = text === 'AND' || text === 'OR' ? text : undefined
  if (quoted === undefined) return { operator, words, asked: words }
  const phrase = words.flatMap(({ text, parts }) => (parts.length > 0 ? parts : [text]))
  const asked = phrase.length > 0 ? [{ text: `"${phrase.join(' ')}"`, phrase }] : []
  return { words, asked }
}

/** Treats the words of one chunk (`lung/breast`) as alternatives in OR mode, unless it is an operand of AND. */
function joined(group: readonly Chunk[], mode: Mode): readonly (readonly WordOrPhrase[])[] {
  const asked = group.flatMap((chunk) => chunk.asked)
  return group.length === 1 && mode === 'OR' ? asked.map((one) => [one]) : [asked]
}
