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

/** Slots without a record are given up when there are so many, */
const FREE_SLOTS = 1_024
/** besides this share of the records, when there is a pause to do it in, */
const SETTLED_SHARE = 0.25
/** or this share when there is none. */
const MAX_SHARE = 1

/**
 * Records in memory, found by words, phrases, filters and ranges (registry.md 2.2 and 2.3). A word of a
 * query stands for words that equal it and, for less, those that begin with it; one of a phrase for
 * itself alone. Nothing here waits.
 */
export class RecordIndex {
  #contents = new Contents()
  readonly #scorer = new Scorer()
  readonly #freeSlots: number
  /** Goes up with every change. */
  #changes = 0

  constructor({ freeSlots = FREE_SLOTS }: { readonly freeSlots?: number } = {}) {
    this.#freeSlots = freeSlots
  }

  /** How many records there are. */
  get size(): number {
    return this.#contents.aliveCount
  }

  /** Adds a record, or puts it in the place of the one that has its id. */
  put(record: IndexedRecord): void {
    this.#contents.put(record)
    this.#changed()
  }

  /** Whether there was such a record. */
  delete(id: string): boolean {
    const wasThere = this.#contents.delete(id)
    if (wasThere) this.#changed()
    return wasThere
  }

  /**
   * Does in steps what the next search, or a later change, would have to do in one go. Searches and
   * changes may come between the steps.
   */
  *settle(): Generator<void, void> {
    yield* this.#contents.settle()
    if (!this.#wastesMore(SETTLED_SHARE)) return
    const before = this.#changes
    const copy = yield* compacted(this.#contents)
    if (this.#changes === before) this.#contents = copy
  }

  /**
   * The page of records that match, and how many do.
   * @throws EngineError `bad_input` for a query that is too long or has too many words.
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
   * Words of the index, those that most of the records have first, ties by code units: of the records
   * that pass filters and ranges, those words that begin with a text.
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
