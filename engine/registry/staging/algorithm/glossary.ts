import { atOnce } from '../../../shared/concurrency/at-once.ts'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import { type Keyword, KeywordIndex } from './keyword-index.ts'
import type { GlossaryTerm, StagingSchema, StagingTable } from './model.ts'

/** A term in a text (registry.md 3, ApiKeywordMatch). */
export interface GlossaryMatch {
  readonly id: string
  readonly name: string
  /** The matched name as spelled in the glossary. */
  readonly keyword: string
  readonly category?: readonly string[]
  /** Offset in its text, in UTF-16 code units. */
  readonly start: number
  /** Offset of the last code unit, inclusive. */
  readonly end: number
}

export interface GlossaryLookup {
  /** Defaults to all categories. A term without a category counts as STAGING. */
  readonly categories?: ReadonlySet<string>
  readonly wholeWordsOnly?: boolean
  /** Maximum number of matches. The search stops at the first match beyond it. By default there is no limit. */
  readonly most?: number
}

/** Maximum number of matches, more than anyone reads. */
const MAX_MATCHES = 100_000

/** Glossary terms indexed for searches in texts (registry.md 6). */
export class Glossary {
  readonly #index: KeywordIndex<GlossaryTerm>

  constructor(terms: Iterable<GlossaryTerm> | KeywordIndex<GlossaryTerm>) {
    this.#index =
      terms instanceof KeywordIndex ? terms : new KeywordIndex<GlossaryTerm>(keywordsOf(terms))
  }

  /** Builds a glossary in steps. */
  static *inSteps(terms: Iterable<GlossaryTerm>): Generator<undefined, Glossary> {
    return new Glossary(yield* KeywordIndex.inSteps(keywordsOf(terms)))
  }

  /** Finds terms in any of the texts. Offsets are per text, and equal matches are returned once. */
  search(texts: Iterable<string>, request: GlossaryLookup = {}): GlossaryMatch[] {
    return atOnce(this.searchInSteps(texts, request))
  }

  /**
   * Finds terms like `search`, but without blocking the event loop.
   * @throws EngineError `too_many` for more than MAX_MATCHES matches
   */
  async find(
    texts: Iterable<string>,
    request: GlossaryLookup = {},
    turns = new LoopTurns(),
  ): Promise<GlossaryMatch[]> {
    const matches = await turns.run(this.searchInSteps(texts, { most: MAX_MATCHES, ...request }))
    if (matches.length <= MAX_MATCHES) return matches
    const message = `the text has more than ${MAX_MATCHES} matches; give less text at a time`
    throw new EngineError('too_many', message)
  }

  /** Does the same as `search`, in steps. Stops at the first match beyond `most`. */
  *searchInSteps(
    texts: Iterable<string>,
    { categories, wholeWordsOnly = true, most = Number.POSITIVE_INFINITY }: GlossaryLookup = {},
  ): Generator<undefined, GlossaryMatch[]> {
    const matches = new Map<string, GlossaryMatch>()
    for (const text of new Set(texts)) {
      for (const hit of this.#index.hits(text, { wholeWordsOnly })) {
        if (!hit) {
          yield
          continue
        }
        const { term, text: keyword, start, end } = hit
        const { id, name, category } = term
        if (categories && !(category ?? ['STAGING']).some((one) => categories.has(one))) continue
        const match = { id, name, keyword, ...(category && { category }), start, end }
        matches.set(placeOf(match), match)
        if (matches.size > most) return inOrder(matches)
      }
    }
    return inOrder(matches)
  }
}

/** Merges the matches of several glossaries in the same texts. If matches are equal, the first one is kept. */
export function joinMatches(lists: readonly (readonly GlossaryMatch[])[]): GlossaryMatch[] {
  const last = lists.toReversed().flat()
  return inOrder(new Map(last.map((match) => [placeOf(match), match])))
}

/** The text is unambiguous, because the offsets give the length of the keyword, and so where the id starts. */
function placeOf({ id, keyword, start, end }: GlossaryMatch): string {
  return `${start} ${end} ${keyword}${id}`
}

function inOrder(matches: ReadonlyMap<string, GlossaryMatch>): GlossaryMatch[] {
  return [...matches.values()].sort(
    (a, b) => a.start - b.start || a.end - b.end || (a.id < b.id ? -1 : 1),
  )
}

/** Returns the texts of a schema in which terms are looked up. */
export function textsOfSchema(schema: StagingSchema): string[] {
  const { name, title, description, subtitle, notes } = schema
  return [name, title, description, subtitle, notes].filter((text) => text !== undefined)
}

/** Returns the texts of a table in which terms are looked up, including DESCRIPTION cells. */
export function textsOfTable(table: StagingTable): string[] {
  const { name, title, description, subtitle, notes } = table
  const { footnotes, rationale, additional_info, coding_guidelines } = table
  const texts = [name, title, description, subtitle, notes, footnotes, rationale, additional_info]
  const places = table.definition.flatMap(({ type }, place) =>
    type === 'DESCRIPTION' ? [place] : [],
  )
  const cells = table.rows.flatMap((row) => places.map((place) => row[place]))
  return [...texts, coding_guidelines, ...cells].filter((text) => typeof text === 'string')
}

/** Yields names and alternate names, each once per term ignoring case. */
function* keywordsOf(terms: Iterable<GlossaryTerm>): Generator<Keyword<GlossaryTerm>> {
  for (const term of terms) {
    const known = new Set<string>()
    for (const name of [term.name, ...(term.alternate_names ?? [])]) {
      const text = name.trim()
      const folded = text.toLowerCase()
      if (text === '' || known.has(folded)) continue
      known.add(folded)
      yield { text, term }
    }
  }
}
