import { countBits, membersOf } from '../../shared/arrays/bitset.ts'
import { atOnce } from '../../shared/concurrency/at-once.ts'
import { compacted } from './compaction.ts'
import { Contents } from './contents.ts'
import { frequentWords } from './keywords.ts'
import { pageOf } from './page.ts'
import { passingSlots } from './passing.ts'
import { readQuery } from './query.ts'
import type { IndexedRecord, Keyword, KeywordQuery, RecordHits, RecordQuery } from './record.ts'
import { type Scored, Scorer } from './scoring.ts'
import { soughtIn } from './sought.ts'
import { foldText } from './words.ts'

/** Up to this number, dead slots are never removed. */
const FREE_SLOTS = 1_024
/** If a greater share of the slots is dead, they are removed when the index settles in steps. */
const SETTLED_SHARE = 0.25
/** If a greater share of the slots is dead, they are removed at once. */
const MAX_SHARE = 1

/**
 * Index of records in memory with words, phrases, filters and ranges (registry.md 2.2 and 2.3). A query word
 * matches the same word and, with a lower score, longer words that start with it. Words of a phrase match only
 * the same words. All methods are synchronous.
 */
export class RecordIndex {
  #contents = new Contents()
  readonly #scorer = new Scorer()
  readonly #freeSlots: number
  /** Number of changes so far. */
  #changes = 0

  constructor({ freeSlots = FREE_SLOTS }: { readonly freeSlots?: number } = {}) {
    this.#freeSlots = freeSlots
  }

  /** Number of records. */
  get size(): number {
    return this.#contents.aliveCount
  }

  /** Adds a record, or replaces the record with the same id. */
  put(record: IndexedRecord): void {
    this.#contents.put(record)
    this.#changed()
  }

  /** Deletes a record. Returns whether it existed. */
  delete(id: string): boolean {
    const wasThere = this.#contents.delete(id)
    if (wasThere) this.#changed()
    return wasThere
  }

  /**
   * Does pending maintenance in steps. Otherwise the next search or change would do all of it at once. Searches
   * and changes are allowed between steps.
   */
  *settle(): Generator<void, void> {
    yield* this.#contents.settle()
    if (!this.#wastesMore(SETTLED_SHARE)) return
    const before = this.#changes
    const copy = yield* compacted(this.#contents)
    if (this.#changes === before) this.#contents = copy
  }

  /**
   * Returns a page of matching records and their total.
   * @throws EngineError `bad_input` for a query that is too long or has too many words
   */
  search({ q = '', mode, filters, ranges = [], order, offset, count }: RecordQuery): RecordHits {
    const query = q.trim() === '' ? undefined : readQuery(q, mode)
    const contents = this.#settled()
    const passing = passingSlots(contents, { filters, ranges })
    const found: Partial<Scored> & Pick<Scored, 'slots'> = query
      ? this.#scorer.score(contents, { ...soughtIn(query, contents), passing })
      : { slots: membersOf(passing, 0, countBits(passing)) }
    const { slots, scores, best } = found
    const keys = order ? contents.orderKeys(slots, order) : scores
    const candidates = {
      keys: keys ?? new Float64Array(slots.length),
      ties: contents.idRanks(slots),
    }
    const hits = Array.from(pageOf(candidates, offset, offset + count), (place) => {
      const id = contents.idOf(slots[place]!)
      return scores ? { id, score: scores[place]! } : { id }
    })
    return {
      terms: query?.terms ?? [],
      total: slots.length,
      ...(best && { maxScore: best }),
      hits,
    }
  }

  /**
   * Returns the words that start with a prefix among the records that pass the filters and ranges, most frequent
   * first. Words of equal frequency are sorted by code units.
   */
  keywords({ q = '', count, ...request }: KeywordQuery): Keyword[] {
    const contents = this.#settled()
    const passing = passingSlots(contents, request)
    return frequentWords(contents, foldText(q.trim()), passing, count)
  }

  #changed(): void {
    this.#changes++
    if (this.#wastesMore(MAX_SHARE)) this.#contents = atOnce(compacted(this.#contents))
  }

  #wastesMore(share: number): boolean {
    const { slots, aliveCount } = this.#contents
    return slots - aliveCount > this.#freeSlots + share * aliveCount
  }

  #settled(): Contents {
    atOnce(this.#contents.settle())
    return this.#contents
  }
}
