import type { Caller } from '../../../shared/access/roles.ts'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import {
  Glossary,
  type GlossaryLookup,
  type GlossaryMatch,
} from '../../staging/algorithm/glossary.ts'
import type { GlossaryTerm } from '../../staging/algorithm/model.ts'
import type { Contents } from '../answers.ts'
import { type ContentSource, Derived } from '../content/derived.ts'
import type { GlossaryEntry } from './definition.ts'

/** More than any page has. */
const MAX_CHARACTERS = 1_000_000

/** The glossary is always searched with the rights of the public. */
const PUBLIC: Caller = Object.freeze({ user: '', roles: new Set<never>() })

/** Finds terms of the published glossary in texts. */
export class TermFinder {
  readonly #glossaries: Derived<GlossaryEntry, Glossary>
  readonly #turns: LoopTurns

  constructor(entries: ContentSource<GlossaryEntry>, turns = new LoopTurns()) {
    this.#turns = turns
    this.#glossaries = new Derived(entries, async (items) =>
      turns.run(Glossary.inSteps(await termsOf(items, turns))),
    )
  }

  /**
   * Finds names and alternate names of terms. Offsets count UTF-16 code units within each text, and the end is
   * inclusive (registry.md 6).
   * @throws EngineError `too_large` for too much text; `too_many` for too many matches
   */
  async find(texts: readonly string[], request: GlossaryLookup = {}): Promise<GlossaryMatch[]> {
    const characters = texts.reduce((sum, { length }) => sum + length, 0)
    if (characters > MAX_CHARACTERS) {
      const message = `the text has ${characters} characters; give up to ${MAX_CHARACTERS}`
      throw new EngineError('too_large', message)
    }
    return this.findInStored(texts, request)
  }

  /**
   * Finds terms like `find` in stored texts, which may have any length.
   * @throws EngineError `too_many` for too many matches
   */
  async findInStored(
    texts: readonly string[],
    request: GlossaryLookup = {},
  ): Promise<GlossaryMatch[]> {
    const glossary = await this.#glossaries.of(PUBLIC, 'latest')
    return (await glossary.find(texts, request, this.#turns)).map(withoutEmptyCategory)
  }
}

async function termsOf(
  items: Contents<GlossaryEntry>['items'],
  turns: LoopTurns,
): Promise<GlossaryTerm[]> {
  const terms: GlossaryTerm[] = []
  for await (const { id, content } of items) {
    const { name, alternate_name, category = [] } = content
    terms.push({ id, name, ...(alternate_name && { alternate_names: alternate_name }), category })
    await turns.pause()
  }
  return terms
}

/** Removes an empty category, because a term without a category belongs to a staging algorithm (STAGING). */
function withoutEmptyCategory({ category, ...match }: GlossaryMatch): GlossaryMatch {
  const { id, name, keyword, start, end } = match
  return { id, name, keyword, ...(category?.length && { category }), start, end }
}
